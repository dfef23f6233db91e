import type { Api } from '../../core/http/api.ts'
import { data, errors, IdParams, ref } from '../../core/input/schemas.ts'
import { readRoutes } from '../../core/reading/read-routes.ts'
import { changeResource } from '../../core/reading/request-texts.ts'
import type { Db } from '../../core/storage/database.ts'
import { paymentMethodList } from './list.ts'
import { paymentMethodExists, updatePaymentMethod } from './queries.ts'
import { PaymentMethod, PaymentMethodChanges, PaymentMethodQuery } from './schema.ts'

export const paymentMethodRoutes = (app: Api, { db }: { db: Db }) => {
  const key = 'payment_method'
  const subject = 'payment method'
  const one = data({ payment_method: ref(PaymentMethod) })

  readRoutes(app, db, {
    url: '/payment-method',
    config: { permission: 'payment_method:view', extension: true },
    list: paymentMethodList,
    shape: PaymentMethod,
    many: {
      operationId: 'listPaymentMethods',
      summary: 'List payment methods',
      description: 'Use the ids as `payment_method_id` of an order.',
      querystring: PaymentMethodQuery,
    },
    one: { operationId: 'getPaymentMethod', summary: 'Fetch one payment method', subject },
  })

  app.put(
    '/payment-method/:id',
    {
      config: {
        permission: 'payment_method:update',
        extension: true,
        subject,
        exists: (store, id) => paymentMethodExists(db, store, id),
      },
      schema: {
        operationId: 'updatePaymentMethod',
        summary: 'Update a payment method',
        description:
          'Only the given fields change. Orders paid with it show the change, and keep a method that becomes ' +
          'inactive. The operator of the service adds payment methods and says whether they are `connected`.',
        params: IdParams,
        body: PaymentMethodChanges,
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { params, body, store } = request
      return changeResource(db, request, reply, key, params.id, (db) => updatePaymentMethod(db, store, params.id, body))
    },
  )
}
