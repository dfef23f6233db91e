import Type from 'typebox'
import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { data, errors, ref } from '../../core/input/schemas.ts'
import type { Db } from '../../core/storage/database.ts'
import { ValidationErrors } from '../../errors.ts'
import { changeStock, currentStock } from './change-stock.ts'
import { checkStockChanges } from './rules.ts'
import { StockChanges, StockLevel, StockQuery } from './schema.ts'

export const stockRoutes = (app: Api, { db }: { db: Db }) => {
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
        { status: 200, key: 'stock', render: (db) => currentStock(db, store, body.stock) },
        (db) => changeStock(db, store, body.stock, query.atomic),
      )
    },
  )
}
