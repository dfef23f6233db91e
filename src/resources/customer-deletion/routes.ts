import { Type } from 'typebox'
import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { data, errors, IdParams } from '../../core/input/schemas.ts'
import { textVersion } from '../../core/reading/request-texts.ts'
import type { Db } from '../../core/storage/database.ts'
import type { SharedPhones } from '../shared-phones/shared-phones.ts'
import { deleteCustomer } from './delete-customer.ts'

const DeletionQuery = Type.Object({
  erase: Type.Boolean({
    default: false,
    description:
      'Also erases the person from their orders: every `customer_` and `billing_` field except the country becomes ' +
      'empty, `card_brand` and `card_last4` null, `meta_data` `{}`. A search no longer finds these orders by them. In ' +
      'reviews with their email, `reviewer_name` becomes empty and `reviewer_email` null. Works also on the id of a ' +
      'customer who was deleted without it, and covers the orders of earlier customers with the same email; 404 if ' +
      'nothing of them is left.',
  }),
})

export const customerDeletionRoutes = (app: Api, { db, sharedPhones }: { db: Db; sharedPhones: SharedPhones }) => {
  app.delete(
    '/customer/:id',
    {
      config: { permission: 'customer:delete', extension: true, subject: 'customer' },
      schema: {
        operationId: 'deleteCustomer',
        summary: 'Delete a customer',
        description:
          'Their orders stay, with `customer_id` null, and keep their own copy of name, address and phone unless ' +
          '`erase` is true. Replies stored for an `Idempotency-Key` keep what they showed for 24 hours; backups are ' +
          'not changed. See the guide “Deleting personal data”.',
        params: IdParams,
        querystring: DeletionQuery,
        response: { 200: data({}), ...errors },
      },
    },
    async (request, reply) => {
      const { params, query } = request
      const resource = textVersion(request, 'customer', params.id)
      return writeOnce(db, reply, { status: 200, resource }, async (db) => {
        const { store, texts } = request
        await deleteCustomer(db, { store, texts, sharedPhones }, params.id, query.erase)
        return ''
      })
    },
  )
}
