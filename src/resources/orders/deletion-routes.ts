import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { data, errors, IdParams } from '../../core/input/schemas.ts'
import { lockRow } from '../../core/reading/single-row.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import { deleteOrder } from './delete-order.ts'

export const orderDeletionRoutes = (app: Api, { db }: { db: Db }) => {
  app.delete(
    '/order/:id',
    {
      config: { permission: 'order:delete', extension: true, subject: 'order' },
      schema: {
        operationId: 'deleteOrder',
        summary: 'Delete an order',
        description:
          'Its deliveries, returns and refunds are deleted too. Units that have not been shipped return to stock, and ' +
          'the totals of the customer follow. To keep an order on record, cancel or archive it instead.',
        params: IdParams,
        response: { 200: data({}), ...errors },
      },
    },
    async ({ params: { id }, store, texts }, reply) => {
      const resource = {
        lock: (db: Tx) => lockRow(db, 'orders', store, id),
        read: (db: Tx) => texts.one(db, 'order', id),
      }
      return writeOnce(db, reply, { status: 200, resource }, async (db) => {
        await deleteOrder(db, store, id)
        return ''
      })
    },
  )
}
