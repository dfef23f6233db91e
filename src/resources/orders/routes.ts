import type { Api } from '../../core/http/api.ts'
import { data, errors, IdParams, page, ref } from '../../core/input/schemas.ts'
import { sendPage } from '../../core/reading/list.ts'
import { sendResource } from '../../core/reading/request-texts.ts'
import type { Db } from '../../core/storage/database.ts'
import { requireRoom, tenantOf } from '../plans/limits.ts'
import { orderList } from './list.ts'
import { NewOrder, OrderChanges } from './order-input.ts'
import { writeOrder } from './order-reply.ts'
import { withPhoneNumber } from './phone-country.ts'
import { placeOrder } from './place-order.ts'
import { orderExists } from './queries.ts'
import { Order, OrderQuery } from './schema.ts'
import { updateOrder } from './update-order.ts'

const order = data({ order: ref(Order) })

export const orderRoutes = (app: Api, { db }: { db: Db }) => {
  app.get(
    '/order',
    {
      config: { permission: 'order:view' },
      schema: {
        operationId: 'listOrders',
        summary: 'List orders',
        querystring: OrderQuery,
        response: { 200: page('orders', ref(Order)), ...errors },
      },
    },
    async (request, reply) =>
      sendPage(db, request, reply, orderList, await withPhoneNumber(db, request.store, request.query)),
  )

  app.get(
    '/order/:id',
    {
      config: { permission: 'order:view', subject: 'order' },
      schema: {
        operationId: 'getOrder',
        summary: 'Fetch one order',
        params: IdParams,
        response: { 200: order, ...errors },
      },
    },
    (request, reply) => sendResource(db, request, reply, 'order', request.params.id),
  )

  app.post(
    '/order',
    {
      config: { permission: 'order:create' },
      schema: {
        operationId: 'createOrder',
        summary: 'Create an order that was placed outside the platform',
        description:
          'Ordered units are taken from stock in the same transaction; an order for more units than are in ' +
          'stock is refused. The customer is looked up by `customer_email`, and created if there is none.',
        body: NewOrder,
        response: { 201: order, ...errors },
      },
    },
    async (request, reply) =>
      writeOrder(db, reply, { status: 201, key: 'order', kind: 'order' }, async (db) => {
        await requireRoom(db, tenantOf(request), 'orders')
        return placeOrder(db, request.store, request.caller.app, request.body)
      }),
  )

  app.put(
    '/order/:id',
    {
      config: {
        permission: 'order:update',
        extension: true,
        subject: 'order',
        exists: (store, id) => orderExists(db, store, id),
      },
      schema: {
        operationId: 'updateOrder',
        summary: 'Update an order',
        description:
          'Only the given fields change; `meta_data` is replaced as a whole. Cancelling or abandoning an order ' +
          'returns its unshipped units to stock. Undoing that takes them from stock again, if there are enough.',
        params: IdParams,
        body: OrderChanges,
        response: { 200: order, ...errors },
      },
    },
    async ({ params: { id }, store, caller, body }, reply) =>
      writeOrder(db, reply, { status: 200, key: 'order', kind: 'order', orderOf: async () => id }, (db) =>
        updateOrder(db, store, caller.app, id, body),
      ),
  )
}
