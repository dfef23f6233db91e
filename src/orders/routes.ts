import { notFound } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { writeOnce } from '../http/idempotency.ts'
import { sendText } from '../http/json-reply.ts'
import { tagOf } from '../http/versions.ts'
import { data, errors, IdParams, page, ref } from '../input/schemas.ts'
import { findAgain } from '../reading/find-one.ts'
import type { Db } from '../storage/database.ts'
import { NewOrder, OrderChanges } from './order-input.ts'
import { placeOrder } from './place-order.ts'
import { listOrders, orderExists, orderVersion, renderOrder } from './queries.ts'
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
    ({ query, store, fileUrls }, reply) => listOrders(db, reply, fileUrls, store, query),
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
    async ({ params, store, fileUrls }, reply) => {
      const found = await renderOrder(db, fileUrls, store, params.id)
      if (!found) throw notFound('order')
      return sendText(reply, 'order', found, tagOf(found))
    },
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
    async ({ body, store, fileUrls, caller }, reply) =>
      writeOnce(db, reply, { status: 201, key: 'order', render: findAgain(reply.request, renderOrder) }, async (db) => {
        const id = await placeOrder(db, store, caller.app, body)
        return (await renderOrder(db, fileUrls, store, id)) as string
      }),
  )

  app.put(
    '/order/:id',
    {
      config: {
        permission: 'order:update',
        extension: true,
        subject: 'order',
        exists: ({ store, params }) => orderExists(db, store, (params as { id: string }).id),
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
    async ({ params, body, store, fileUrls, caller }, reply) =>
      writeOnce(
        db,
        reply,
        {
          status: 200,
          key: 'order',
          render: findAgain(reply.request, renderOrder),
          resource: orderVersion(fileUrls, store, params.id),
        },
        async (db) => {
          await updateOrder(db, store, caller.app, params.id, body)
          return (await renderOrder(db, fileUrls, store, params.id)) as string
        },
      ),
  )
}
