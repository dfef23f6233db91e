import { Type } from 'typebox'
import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { sendText } from '../../core/http/json-reply.ts'
import { data, errors, IdParams, nullable, ref, Text } from '../../core/input/schemas.ts'
import { rereadText } from '../../core/reading/request-texts.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import type { SharedPhones } from '../shared-phones/shared-phones.ts'
import { addNote } from './add-note.ts'
import { askElsewhere } from './ask-elsewhere.ts'
import { changeLines } from './change-lines.ts'
import { claimOrder } from './claim-order.ts'
import { confirmOrder } from './confirm-order.ts'
import { Claim, LineChanges, Merge, NewConfirmation, NewNote, OrderClaim, PhoneNumber } from './desk-schema.ts'
import { listClaims } from './list-claims.ts'
import { mergeOrders } from './merge-orders.ts'
import { writeOrder } from './order-reply.ts'
import { withPhoneNumber } from './phone-country.ts'
import { countsOfPhone, latestOfPhone, orderExists } from './queries.ts'
import { Order } from './schema.ts'

const ORDER = { key: 'order', kind: 'order' } as const

/** What people do at a desk that confirms orders before they are shipped. */
export const deskRoutes = (app: Api, { db, sharedPhones }: { db: Db; sharedPhones: SharedPhones }) => {
  const one = data({ order: ref(Order) })
  const config = {
    permission: 'order:update',
    extension: true,
    subject: 'order',
    exists: (store: StoreId, id: string) => orderExists(db, store, id),
  } as const

  app.get(
    '/phone/:number',
    {
      config: { permission: 'order:view', extension: true },
      schema: {
        operationId: 'getPhoneNumber',
        summary: 'Fetch what is known about a phone number',
        description:
          'Orders of this store: how many, and the newest. `GET /order?phone=` lists them all. A number without a country code is one of the ' +
          'country of the store; a number without orders has zeros. Where stores share what became of their orders, ' +
          '`elsewhere` adds up the others, for at most 300 requests an hour and store.',
        params: Type.Object({ number: Text(50, { minLength: 1, description: 'In any way it is written.' }) }),
        response: { 200: data({ phone: ref(PhoneNumber) }), ...errors },
      },
    },
    async ({ store, params }, reply) => {
      const { phone } = await withPhoneNumber(db, store, { phone: params.number })
      if (!phone) throw notFound('phone number')
      const elsewhere = await askElsewhere(db, store, sharedPhones, phone)
      const counts = await countsOfPhone(db, store, phone)
      const latest_orders = await latestOfPhone(db, store, phone)
      return sendText(reply, 'phone', JSON.stringify({ phone, ...counts, latest_orders, elsewhere }))
    },
  )

  app.post(
    '/order/:id/confirmation',
    {
      config,
      schema: {
        operationId: 'confirmOrder',
        summary: 'Record whether the customer confirms an order',
        description:
          'Other fields stay as they are, unless the order is cancelled by it. Makes the event `order.confirmed` or ' +
          '`order.refused`, besides `order.updated`.',
        params: IdParams,
        body: NewConfirmation,
        response: { 200: one, ...errors },
      },
    },
    async ({ params: { id }, store, caller, body }, reply) =>
      writeOrder(db, reply, { ...ORDER, status: 200, orderOf: async () => id }, (db) =>
        confirmOrder(db, store, caller.app, id, body),
      ),
  )

  app.post(
    '/order/:id/note',
    {
      config,
      schema: {
        operationId: 'createOrderNote',
        summary: 'Add a note to an order',
        description: 'At most 100 per order. Notes are entries of its `history`.',
        params: IdParams,
        body: NewNote,
        response: { 201: one, ...errors },
      },
    },
    async ({ params: { id }, store, caller, body }, reply) =>
      writeOrder(db, reply, { ...ORDER, status: 201, orderOf: async () => id }, (db) =>
        addNote(db, store, caller.app, id, body),
      ),
  )

  app.post(
    '/order/:id/merge',
    {
      config,
      schema: {
        operationId: 'mergeOrders',
        summary: 'Merge another order into this one',
        description:
          'Adds the lines of the other order to this one and cancels the other, in one transaction. Stock does not ' +
          'change. Shipping, fee and discount of this order stay; those of the other are dropped. Both must be pending, ' +
          'and nothing of them shipped, returned or refunded.',
        params: IdParams,
        body: Merge,
        response: { 200: one, ...errors },
      },
    },
    async ({ params: { id }, store, caller, body }, reply) =>
      writeOrder(db, reply, { ...ORDER, status: 200, orderOf: async () => id }, (db) =>
        mergeOrders(db, store, caller.app, id, body),
      ),
  )

  app.put(
    '/order/:id/variants',
    {
      config,
      schema: {
        operationId: 'updateOrderLines',
        summary: 'Change the lines of an order',
        description:
          'Until a part of the order is shipped, returned or refunded. Totals, stock and the delivery follow. Not for ' +
          'orders of a bundle, nor for those with several deliveries.',
        params: IdParams,
        body: LineChanges,
        response: { 200: one, ...errors },
      },
    },
    async ({ params: { id }, store, caller, body }, reply) =>
      writeOrder(db, reply, { ...ORDER, status: 200, orderOf: async () => id }, (db) =>
        changeLines(db, store, caller.app, id, body),
      ),
  )

  app.get(
    '/order/claim',
    {
      config: { permission: 'order:view', extension: true },
      schema: {
        operationId: 'listClaims',
        summary: 'List who has which order to confirm',
        description:
          'Right now. What has just been claimed comes first. An order that was confirmed or given back is not listed.',
        response: { 200: data({ claims: Type.Array(ref(OrderClaim)) }), ...errors },
      },
    },
    async ({ store, caller }, reply) =>
      sendText(reply, 'claims', JSON.stringify(await listClaims(db, store, caller.app))),
  )

  app.post(
    '/order/claim',
    {
      config: { permission: 'order:update', extension: true },
      schema: {
        operationId: 'claimOrder',
        summary: 'Take an order to confirm',
        description:
          'Gives the caller the order that has waited longest for its confirmation, or the named one, for three minutes: ' +
          'until then nobody else gets it, and claiming it again renews that. Other orders of the caller are free again, with ' +
          '`release` all of them. ' +
          '`order` is null if none is left, or if somebody else has the named one.',
        body: Claim,
        response: { 200: data({ order: nullable(ref(Order)) }), ...errors },
      },
    },
    async (request, reply) => {
      const { store, caller, body, texts } = request
      return writeOnce(db, reply, { status: 200, key: 'order', render: rereadText(request, 'order') }, async (db) => {
        const id = await claimOrder(db, store, caller.app, body)
        return (id && (await texts.one(db, 'order', id))) ?? 'null'
      })
    },
  )
}
