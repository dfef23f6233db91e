import type { Api } from '../../core/http/api.ts'
import { data, errors, IdParams, ref } from '../../core/input/schemas.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import {
  DeliveryChange,
  DeliveryParams,
  DeliverySplit,
  NewRefund,
  NewReturn,
  RefundChange,
} from './fulfilment-schema.ts'
import { writeOrder } from './order-reply.ts'
import { orderExists } from './queries.ts'
import { findRefund, refundOrder, updateRefund } from './refund-order.ts'
import { returnOrder } from './return-order.ts'
import { Delivery, Refund, Return } from './schema.ts'
import { splitDelivery } from './split-delivery.ts'
import { findDelivery, updateDelivery } from './update-delivery.ts'

const DELIVERY = { key: 'delivery', kind: 'delivery' } as const
const RETURN = { key: 'return', kind: 'order_return' } as const
const REFUND = { key: 'refund', kind: 'refund' } as const

/** Deliveries, returns and refunds. */
export const fulfilmentRoutes = (app: Api, { db }: { db: Db }) => {
  const ofOrder = (store: StoreId, id: string) => orderExists(db, store, id)
  const permission = 'order:update' as const

  app.put(
    '/order/delivery/:deliveryId',
    {
      config: {
        permission,
        subject: 'delivery',
        exists: async (store, id) => (await findDelivery(db, store, id)) !== undefined,
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
    async ({ params: { deliveryId }, body, store, caller }, reply) =>
      writeOrder(
        db,
        reply,
        { ...DELIVERY, status: 200, orderOf: async (db) => (await findDelivery(db, store, deliveryId))?.order_id },
        (db) => updateDelivery(db, store, caller.app, deliveryId, body),
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
    async ({ params: { id }, body, store, caller }, reply) =>
      writeOrder(db, reply, { ...DELIVERY, status: 201, orderOf: async () => id }, (db) =>
        splitDelivery(db, store, caller.app, id, body),
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
    async ({ params: { id }, body, store, caller }, reply) =>
      writeOrder(db, reply, { ...RETURN, status: 201, orderOf: async () => id }, (db) =>
        returnOrder(db, store, caller.app, id, body),
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
    async ({ params: { id }, body, store, caller }, reply) =>
      writeOrder(db, reply, { ...REFUND, status: 201, orderOf: async () => id }, (db) =>
        refundOrder(db, store, caller.app, id, body),
      ),
  )

  app.put(
    '/order/refund/:id',
    {
      config: {
        permission,
        extension: true,
        subject: 'refund',
        exists: async (store, id) => (await findRefund(db, store, id)) !== undefined,
      },
      schema: {
        operationId: 'updateRefund',
        summary: 'Update a refund',
        params: IdParams,
        body: RefundChange,
        response: { 200: data({ refund: ref(Refund) }), ...errors },
      },
    },
    async ({ params: { id }, body, store, caller }, reply) =>
      writeOrder(
        db,
        reply,
        { ...REFUND, status: 200, orderOf: async (db) => (await findRefund(db, store, id))?.order_id },
        (db) => updateRefund(db, store, caller.app, id, body),
      ),
  )
}
