import type { RecordedRows, Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import { parcelRoutes } from './routes.ts'
import { parcelKind } from './text.ts'

const result = ({ id, order_id, order_ref, tracking_number }: RecordedRows) => ({
  tracking_number,
  result: 'delivered',
  parcel_id: id,
  order_id,
  order_ref,
  previous_state: 'shipped',
  state: 'delivered',
  errors: {},
})

const paid = (parcel: RecordedRows) => ({
  ...parcel,
  cash_owed: 0,
  cash_received: parcel.cash_owed,
  cash_received_at: parcel.updated_at,
  cash_reference: 'T-2291',
})

export const parcels: Resource<{ db: Db }> = {
  heading: 'Parcels',
  description: 'Deliveries that a carrier has: what became of them, and the cash that it has collected.',
  routes: parcelRoutes,
  kinds: { parcel: parcelKind },
  examples: {
    queries: { listParcels: 'state=shipped&page_size=1' },
    rows: async (_recorded, read) => ({
      sent_parcel: (await read('/parcel?state=shipped&page_size=1')).data.parcels[0],
      owed_parcel: (await read('/parcel?cash=owed&page_size=1')).data.parcels[0],
      carrier_parcels: (await read('/parcel/summary')).data.carriers[0],
    }),
    schemas: ({ owed_parcel, sent_parcel, carrier_parcels }) => ({
      Parcel: owed_parcel,
      CarrierResult: result(sent_parcel),
      CarrierParcels: carrier_parcels,
    }),
    bodies: ({ sent_parcel, owed_parcel }) => ({
      updateParcelResults: { results: [{ tracking_number: sent_parcel.tracking_number, result: 'delivered' }] },
      updateParcelCash: { parcel_ids: [owed_parcel.id], reference: 'T-2291' },
    }),
    replies: ({ sent_parcel, owed_parcel }) => ({
      updateParcelResults: { data: { results: [result(sent_parcel)] } },
      updateParcelCash: { data: { parcels: [paid(owed_parcel)] } },
    }),
  },
}
