import { Type } from 'typebox'
import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { sendText } from '../../core/http/json-reply.ts'
import { data, errors, IdParams, nullable, ref } from '../../core/input/schemas.ts'
import { rereadText, sendResource, textVersion } from '../../core/reading/request-texts.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { forbidden, notFound } from '../../errors.ts'
import { createCarrier, MAX_CARRIERS } from './create-carrier.ts'
import { deleteCarrier } from './delete-carrier.ts'
import { carrierExists, renderCarriers, updateCarrier } from './queries.ts'
import { Carrier, CarrierChanges, CarrierQuery, NewCarrier } from './schema.ts'

export const carrierRoutes = (app: Api, { db }: { db: Db }) => {
  const key = 'carrier'
  const kind = 'shipping_carrier'
  const subject = 'carrier'
  const one = data({ carrier: ref(Carrier) })
  const exists = (store: StoreId, id: string) => carrierExists(db, store, id)

  app.get(
    '/shipping-carrier',
    {
      config: { access: 'installation', sometimes: 'shipping:view' },
      schema: {
        operationId: 'listShippingCarriers',
        summary: 'List the shipping carriers',
        description: 'Active carriers, sorted by name. `status` lists the others, and needs `shipping:view`.',
        querystring: CarrierQuery,
        response: { 200: data({ carriers: Type.Array(ref(Carrier)) }), ...errors },
      },
    },
    async ({ query: { status }, store, caller }, reply) => {
      if (status !== 'active' && !caller.installation?.permissions.has('shipping:view'))
        throw forbidden('shipping:view')
      return sendText(reply, 'carriers', await renderCarriers(db, store, status))
    },
  )

  app.get(
    '/shipping-carrier/:id',
    {
      config: { permission: 'shipping:view', extension: true, subject },
      schema: {
        operationId: 'getShippingCarrier',
        summary: 'Fetch one shipping carrier',
        params: IdParams,
        response: { 200: one, ...errors },
      },
    },
    (request, reply) => sendResource(db, request, reply, kind, request.params.id, key),
  )

  app.post(
    '/shipping-carrier',
    {
      config: { permission: 'shipping:create', extension: true },
      schema: {
        operationId: 'createShippingCarrier',
        summary: 'Create a shipping carrier',
        description: `A store can have ${MAX_CARRIERS.toLocaleString('en')} carriers.`,
        body: NewCarrier,
        response: { 201: one, ...errors },
      },
    },
    async (request, reply) =>
      writeOnce(db, reply, { status: 201, key, render: rereadText(request, kind) }, async (db) => {
        const { id } = await createCarrier(db, request.store, request.body)
        return (await request.texts.one(db, kind, id)) as string
      }),
  )

  app.put(
    '/shipping-carrier/:id',
    {
      config: { permission: 'shipping:update', extension: true, subject, exists },
      schema: {
        operationId: 'updateShippingCarrier',
        summary: 'Update a shipping carrier',
        description:
          'Only the given fields change. The tracking links of existing deliveries follow the new `tracking_url`. ' +
          'Existing deliveries keep a carrier that becomes inactive.',
        params: IdParams,
        body: CarrierChanges,
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { params, body, store, texts } = request
      const resource = textVersion(request, kind, params.id)
      return writeOnce(db, reply, { status: 200, key, render: rereadText(request, kind), resource }, async (db) => {
        await updateCarrier(db, store, params.id, body)
        const carrier = await texts.one(db, kind, params.id)
        if (!carrier) throw notFound(subject)
        return carrier
      })
    },
  )

  app.delete(
    '/shipping-carrier/:id',
    {
      config: { permission: 'shipping:delete', extension: true, subject },
      schema: {
        operationId: 'deleteShippingCarrier',
        summary: 'Delete a shipping carrier',
        description:
          'A carrier that deliveries use becomes inactive instead, and is returned. `carrier` is null if it was deleted.',
        params: IdParams,
        response: { 200: data({ carrier: nullable(ref(Carrier)) }), ...errors },
      },
    },
    async (request, reply) => {
      const { params, store, texts } = request
      const resource = textVersion(request, kind, params.id)
      return writeOnce(db, reply, { status: 200, key, resource }, async (db) =>
        (await deleteCarrier(db, store, params.id)) ? 'null' : ((await texts.one(db, kind, params.id)) as string),
      )
    },
  )
}
