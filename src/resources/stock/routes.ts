import { Type } from 'typebox'
import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { sendJson } from '../../core/http/json-reply.ts'
import { data, errors, IdParams, page, ref } from '../../core/input/schemas.ts'
import type { Db } from '../../core/storage/database.ts'
import { ValidationErrors } from '../../errors.ts'
import { changeStock, currentStock } from './change-stock.ts'
import { readHistory } from './read-history.ts'
import { checkStockChanges } from './rules.ts'
import { HistoryQuery, StockChangeEntry, StockChanges, StockLevel, StockQuery } from './schema.ts'

export const stockRoutes = (app: Api, { db }: { db: Db }) => {
  app.get(
    '/stock/:id/history',
    {
      config: { permission: 'product:view', extension: true, subject: 'variant' },
      schema: {
        operationId: 'getStockHistory',
        summary: 'List what changed the stock of a variant',
        description:
          'Newest first: orders, returns, adjustments and edits, each with the quantity that it left. The last entry is ' +
          'what the variant began with, so the deltas of all pages add up to its quantity. The id is that of the variant.',
        params: IdParams,
        querystring: HistoryQuery,
        response: { 200: page('history', ref(StockChangeEntry)), ...errors },
      },
    },
    async ({ params: { id }, query, store, caller }, reply) => {
      const showsOrders = caller.installation?.permissions.has('order:view') ?? false
      return sendJson(reply, JSON.stringify({ data: await readHistory(db, store, id, query, showsOrders) }))
    },
  )

  app.post(
    '/stock',
    {
      config: { permission: 'product:update', extension: true },
      schema: {
        operationId: 'updateStock',
        summary: 'Change the stock of many variants',
        description:
          'Sets quantities or adds to them, for up to 1,000 variants of any products. The reply has a line for each ' +
          'line of the request, in the same sequence. A line that cannot be applied is reported in its `errors` and ' +
          'does not affect the others; with `atomic=true` it refuses the whole request with 422. A negative `delta` ' +
          'never takes more than is in stock, unless the product has `allow_order_when_oos`.',
        querystring: StockQuery,
        body: StockChanges,
        response: { 200: data({ stock: Type.Array(ref(StockLevel)) }), ...errors },
      },
    },
    async ({ body, query, store }, reply) => {
      const errors = new ValidationErrors()
      checkStockChanges(body.stock, errors)
      errors.throwIfAny()
      return writeOnce(
        db,
        reply,
        { status: 200, key: 'stock', render: (db) => currentStock(db, store, body.stock), hasLines: true },
        (db) => changeStock(db, store, body.stock, query.atomic),
      )
    },
  )
}
