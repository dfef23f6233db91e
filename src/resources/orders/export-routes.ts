import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import type { Api } from '../../core/http/api.ts'
import { createStoreSlots } from '../../core/http/store-slots.ts'
import { errors, oneOf } from '../../core/input/schemas.ts'
import type { Db } from '../../core/storage/database.ts'
import { createFairQueue } from '../../core/storage/fair-queue.ts'
import { preferReplica } from '../../core/storage/replicas.ts'
import { BYTE_ORDER_MARK } from './csv-columns.ts'
import { exportOrders } from './export.ts'
import { withPhoneNumber } from './phone-country.ts'
import { OrderQuery, orderFilters } from './schema.ts'

const { order_by, order_direction } = OrderQuery.properties

const ExportQuery = Type.Object({
  format: oneOf(['csv'], { default: 'csv' }),
  bom: Type.Optional(
    Type.Boolean({
      'x-extension': true,
      description:
        'Start the file with a byte order mark, which Excel needs to read UTF-8. Default: true for browsers ' +
        '(an `Accept` header with `text/html`), false for other callers.',
    }),
  ),
  order_by,
  order_direction,
  ...orderFilters,
})

/** Of one store. Each running export buffers two pieces of the file for a slow reader. */
const MAX_AT_ONCE = 20

export const exportRoutes = (app: Api, { db, config }: { db: Db; config: Config }) => {
  const enter = createStoreSlots(MAX_AT_ONCE, 'exports')
  // Exports use at most a quarter of the pool; the rest is for interactive requests.
  const slots = Math.max(1, Math.floor(config.DATABASE_POOL / 4))
  const queue = createFairQueue({ slots })

  app.get(
    '/order/export',
    {
      config: { permission: 'order:export', produces: 'text/csv' },
      schema: {
        operationId: 'exportOrders',
        summary: 'Download the orders as CSV',
        description:
          'Streams all matching orders, not one page, sorted like the list: UTF-8, RFC 4180, with a header row. ' +
          'A cell that a spreadsheet would read as a formula (its first visible character is `=`, `+`, `-` or ' +
          '`@`) starts with an apostrophe, unless it is a plain number.',
        querystring: ExportQuery,
        response: { 200: Type.Unsafe<Readable>({ type: 'string' }), ...errors },
      },
    },
    async (request, reply) => {
      const { query, store, method, headers } = request

      reply
        .type('text/csv; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="orders-${new Date().toISOString().slice(0, 10)}.csv"`)
        .headers({ 'Cache-Control': 'private, no-store', Vary: 'Accept' })
      // Fastify would read the whole file and discard it.
      if (method === 'HEAD') return reply.send(Readable.from([]))
      const leave = enter(store)
      const inTurn = <T>(work: () => Promise<T>) => queue.run([{ key: store, max: slots }], work)
      const wanted = await withPhoneNumber(db, store, query)
      const pieces = exportOrders(db, inTurn, store, wanted, () => request.checkAgain())
      try {
        await preferReplica()
        // Fetched before the headers are sent, so that an error still gets an error reply.
        const first = await pieces.next()
        const withMark = query.bom ?? isBrowser(headers.accept)
        const file = Readable.from(prepend(withMark, first, pieces), { highWaterMark: 1 })
        file.once('close', leave)
        return reply.send(file)
      } catch (error) {
        leave()
        throw error
      }
    },
  )
}

/** A person who follows a link and opens the file in a spreadsheet. */
const isBrowser = (accept = '') => /\btext\/html\b/i.test(accept)

async function* prepend(withMark: boolean, first: IteratorResult<string>, rest: AsyncGenerator<string>) {
  if (!first.done) yield (withMark ? BYTE_ORDER_MARK : '') + first.value
  yield* rest
}
