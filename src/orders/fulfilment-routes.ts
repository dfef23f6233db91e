import type { FastifyRequest } from 'fastify'
import { bindFileUrls } from '../files/file-urls.ts'
import type { Api } from '../http/api.ts'
import { writeOnce } from '../http/idempotency.ts'
import type { Versioned } from '../http/versions.ts'
import { data, errors, IdParams, ref } from '../input/schemas.ts'
import { createFinder, findAgain } from '../reading/find-one.ts'
import type { Db } from '../storage/database.ts'
import {
  DeliveryChange,
  DeliveryParams,
  DeliverySplit,
  NewRefund,
  NewReturn,
  RefundChange,
} from './fulfilment-schema.ts'
import { deliveryJson, refundJson, returnJson } from './json.ts'
import { orderExists, orderVersion } from './queries.ts'
import { findRefund, refundOrder, updateRefund } from './refund-order.ts'
import { returnOrder } from './return-order.ts'
import { Delivery, Refund, Return } from './schema.ts'
import { splitDelivery } from './split-delivery.ts'
import { findDelivery, updateDelivery } from './update-delivery.ts'

const renderDelivery = createFinder('delivery', deliveryJson, bindFileUrls)
const renderReturn = createFinder('order_return', returnJson, bindFileUrls)
const renderRefund = createFinder('refund', refundJson, bindFileUrls)

const idOf = (request: FastifyRequest) => (request.params as { id: string }).id

/** Deliveries, returns and refunds. */
export const fulfilmentRoutes = (app: Api, { db }: { db: Db }) => {
  const ofOrder = (request: FastifyRequest) => orderExists(db, request.store, idOf(request))
  const permission = 'order:update' as const

  /** Deliveries, returns and refunds are versioned and locked with their order. */
  const partOf = ({ fileUrls, store }: FastifyRequest, orderOf: (db: Db) => Promise<string | undefined>): Versioned => {
    const order = async (db: Db) => {
      const id = await orderOf(db)
      return id === undefined ? undefined : orderVersion(fileUrls, store, id)
    }
    return {
      lock: async (db) => (await order(db))?.lock(db),
      read: async (db) => (await order(db))?.read(db),
      answersPart: true,
    }
  }
  const ofDelivery = (request: FastifyRequest, id: string) =>
    partOf(request, async (db) => (await findDelivery(db, request.store, id))?.order_id)
  const ofRefund = (request: FastifyRequest, id: string) =>
    partOf(request, async (db) => (await findRefund(db, request.store, id))?.order_id)

  app.put(
    '/order/delivery/:deliveryId',
    {
      config: {
        permission,
        subject: 'delivery',
        exists: async ({ store, params }) =>
          (await findDelivery(db, store, (params as { deliveryId: string }).deliveryId)) !== undefined,
      },
      schema: {
        operationId: 'updateDelivery',
        summary: 'Update a delivery',
        description: 'Changes the status, tracking number and carrier of a delivery, also of the delivery of a return.',
        params: DeliveryParams,
        body: DeliveryChange,
        response: { 200: data({ delivery: ref(Delivery) }), ...errors },
      },
    },
    async ({ params: { deliveryId }, body, store, fileUrls, caller }, reply) =>
      writeOnce(
        db,
        reply,
        {
          status: 200,
          key: 'delivery',
          render: findAgain(reply.request, renderDelivery),
          resource: ofDelivery(reply.request, deliveryId),
        },
        async (db) => {
          await updateDelivery(db, store, caller.app, deliveryId, body)
          return (await renderDelivery(db, fileUrls, store, deliveryId)) as string
        },
      ),
  )

  app.post(
    '/order/:id/delivery',
    {
      config: { permission, extension: true, subject: 'order', exists: ofOrder },
      schema: {
        operationId: 'splitDelivery',
        summary: 'Split a delivery',
        description: 'Moves units from an unfulfilled delivery to a new one, and returns the new one.',
        params: IdParams,
        body: DeliverySplit,
        response: { 201: data({ delivery: ref(Delivery) }), ...errors },
      },
    },
    async ({ params: { id }, body, store, fileUrls, caller }, reply) =>
      writeOnce(
        db,
        reply,
        {
          status: 201,
          key: 'delivery',
          render: findAgain(reply.request, renderDelivery),
          resource: partOf(reply.request, async () => id),
        },
        async (db) => {
          const delivery = await splitDelivery(db, store, caller.app, id, body)
          return (await renderDelivery(db, fileUrls, store, delivery)) as string
        },
      ),
  )

  app.post(
    '/order/:id/return',
    {
      config: { permission, extension: true, subject: 'order', exists: ofOrder },
      schema: {
        operationId: 'returnOrder',
        summary: 'Return items of an order',
        description: 'Returns at most the units that were ordered. Physical items get a return delivery.',
        params: IdParams,
        body: NewReturn,
        response: { 201: data({ return: ref(Return) }), ...errors },
      },
    },
    async ({ params: { id }, body, store, fileUrls, caller }, reply) =>
      writeOnce(
        db,
        reply,
        {
          status: 201,
          key: 'return',
          render: findAgain(reply.request, renderReturn),
          resource: partOf(reply.request, async () => id),
        },
        async (db) => {
          const returned = await returnOrder(db, store, caller.app, id, body)
          return (await renderReturn(db, fileUrls, store, returned)) as string
        },
      ),
  )

  app.post(
    '/order/:id/refund',
    {
      config: { permission, extension: true, subject: 'order', exists: ofOrder },
      schema: {
        operationId: 'refundOrder',
        summary: 'Refund an order in full or in part',
        description:
          'Refunds at most what was paid, which is the total of a paid order. With only `return_id`, refunds ' +
          'the items of that return. A refund does not change the customer’s `amount_spent`, which is the sum ' +
          'of their paid orders.',
        params: IdParams,
        body: NewRefund,
        response: { 201: data({ refund: ref(Refund) }), ...errors },
      },
    },
    async ({ params: { id }, body, store, fileUrls, caller }, reply) =>
      writeOnce(
        db,
        reply,
        {
          status: 201,
          key: 'refund',
          render: findAgain(reply.request, renderRefund),
          resource: partOf(reply.request, async () => id),
        },
        async (db) => {
          const refund = await refundOrder(db, store, caller.app, id, body)
          return (await renderRefund(db, fileUrls, store, refund)) as string
        },
      ),
  )

  app.put(
    '/order/refund/:id',
    {
      config: {
        permission,
        extension: true,
        subject: 'refund',
        exists: async (request) => (await findRefund(db, request.store, idOf(request))) !== undefined,
      },
      schema: {
        operationId: 'updateRefund',
        summary: 'Update a refund',
        params: IdParams,
        body: RefundChange,
        response: { 200: data({ refund: ref(Refund) }), ...errors },
      },
    },
    async ({ params: { id }, body, store, fileUrls, caller }, reply) =>
      writeOnce(
        db,
        reply,
        {
          status: 200,
          key: 'refund',
          render: findAgain(reply.request, renderRefund),
          resource: ofRefund(reply.request, id),
        },
        async (db) => {
          await updateRefund(db, store, caller.app, id, body)
          return (await renderRefund(db, fileUrls, store, id)) as string
        },
      ),
  )
}
