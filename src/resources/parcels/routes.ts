import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { sendText } from '../../core/http/json-reply.ts'
import { data, errors, page, ref } from '../../core/input/schemas.ts'
import { array, type JsonText, object, value } from '../../core/reading/json-text.ts'
import { sendPage } from '../../core/reading/list.ts'
import { type Db, readManyRows } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { listCarriers } from '../carriers/queries.ts'
import type { Carrier } from '../carriers/schema.ts'
import { applyResults, currentResults } from './apply-results.ts'
import { parcelList } from './list.ts'
import { updateCash } from './receive-cash.ts'
import {
  CarrierParcels,
  CarrierResult,
  CarrierResults,
  Parcel,
  ParcelCash,
  ParcelQuery,
  ParcelSummaryQuery,
} from './schema.ts'
import { type CarrierSummary, summarizeParcels } from './summary.ts'

/** In the order of the carriers' names, with their texts. */
const renderSummary = async (db: Db, store: StoreId, texts: FastifyRequest['texts'], query: ParcelSummaryQuery) => {
  const found = new Map((await summarizeParcels(db, store, query)).map((row) => [row.carrier, row]))
  const carriers = (await listCarriers(db, store, 'all')).filter(({ id }) => found.has(id))
  const shown = await texts.many(
    db,
    'shipping_carrier',
    carriers.map(({ id }) => id),
  )
  const rows = carriers.map(({ id }, place) => {
    const { parcels, cash } = found.get(id) as CarrierSummary
    return object<CarrierParcels>({
      shipping_carrier: shown[place] as JsonText<Carrier>,
      parcels: value(parcels),
      cash: value(cash),
    })
  })
  return array(rows)
}

export const parcelRoutes = (app: Api, { db }: { db: Db }) => {
  const renderParcels = (texts: FastifyRequest['texts'], ids: string[]) => async (db: Db) =>
    `[${(await texts.many(db, 'parcel', ids)).join()}]`

  app.get(
    '/parcel',
    {
      config: { permission: 'order:view', extension: true },
      schema: {
        operationId: 'listParcels',
        summary: 'List the parcels of carriers',
        description:
          'Deliveries that have a carrier, by the time of their last change. `cash=owed` lists what carriers still have to pay.',
        querystring: ParcelQuery,
        response: { 200: page('parcels', ref(Parcel)), ...errors },
      },
    },
    (request, reply) => sendPage(db, request, reply, parcelList, { ...request.query, has_carrier: true } as never),
  )

  app.get(
    '/parcel/summary',
    {
      config: { permission: 'order:view', extension: true },
      schema: {
        operationId: 'getParcelSummary',
        summary: 'Count parcels and cash by carrier',
        description:
          'Carriers without parcels, and without cash, are left out. What is owed does not depend on the period.',
        querystring: ParcelSummaryQuery,
        response: { 200: data({ carriers: Type.Array(ref(CarrierParcels)) }), ...errors },
      },
    },
    async ({ store, texts, query }, reply) =>
      sendText(reply, 'carriers', await readManyRows(db, (db) => renderSummary(db, store, texts, query))),
  )

  app.post(
    '/parcel/result',
    {
      config: { permission: 'order:update', extension: true },
      schema: {
        operationId: 'updateParcelResults',
        summary: 'Record what a carrier says about its parcels',
        description:
          'Finds parcels by their tracking number. The reply has a line for each line of the request, in the same ' +
          'sequence. A line that cannot be applied is reported in its `errors` and does not affect the others; what is ' +
          'known already changes nothing. A parcel that comes back gets a return of its items.',
        body: CarrierResults,
        response: { 200: data({ results: Type.Array(ref(CarrierResult)) }), ...errors },
      },
    },
    async ({ body, store, caller }, reply) =>
      writeOnce(
        db,
        reply,
        { status: 200, key: 'results', render: (db) => currentResults(db, store, body), hasLines: true },
        (db) => applyResults(db, store, caller.app, body),
      ),
  )

  app.post(
    '/parcel/cash',
    {
      config: { permission: 'order:update', extension: true },
      schema: {
        operationId: 'updateParcelCash',
        summary: 'Record that a carrier has paid what it collected',
        description:
          'All parcels or none. An order becomes `paid` when nothing of it is on its way any more, and no cash is missing.',
        body: ParcelCash,
        response: { 200: data({ parcels: Type.Array(ref(Parcel)) }), ...errors },
      },
    },
    async ({ body, store, caller, texts }, reply) => {
      const render = renderParcels(texts, body.parcel_ids)
      return writeOnce(db, reply, { status: 200, key: 'parcels', render }, async (db) => {
        await updateCash(db, store, caller.app, body)
        return render(db)
      })
    },
  )
}
