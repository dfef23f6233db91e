import { sql } from 'kysely'
import type { AppRecord } from '../../core/http/access.ts'
import { groupBy } from '../../core/reading/group-by.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ApiError, type FieldErrors, invalid } from '../../errors.ts'
import { keepOrderTexts } from '../orders/text.ts'
import { updateDelivery } from '../orders/update-delivery.ts'
import { type FoundParcel, lockOrders, parcelsByNumber, statesOfParcels } from './queries.ts'
import type { CarrierResults } from './schema.ts'
import { sendBack } from './send-back.ts'
import type { Result } from './states.ts'

/** What a carrier says about a parcel. What it says late (`shipped` after `delivered`) changes nothing. */
const applyResult = async (
  db: Tx,
  store: StoreId,
  app: AppRecord,
  parcel: FoundParcel,
  { result, restock }: { result: Result; restock: boolean },
) => {
  const { state } = parcel
  if (state === 'cancelled') throw invalid({ tracking_number: ['belongs to a cancelled delivery'] })
  if (result === 'returning' || result === 'returned')
    return sendBack(db, store, app, parcel, { isReceived: result === 'returned', restock })
  const isBack = state === 'returning' || state === 'returned'
  if (result === 'delivered' && isBack) throw invalid({ result: ['must not be delivered: the parcel was sent back'] })
  if (isBack || state === 'delivered' || state === result) return
  await updateDelivery(db, store, app, parcel.id, { status: result })
}

/** The parcel of a line, or why there is none. */
const parcelOf = (found: readonly FoundParcel[]): FoundParcel => {
  const [parcel, other] = found
  if (!parcel) throw invalid({ tracking_number: ['belongs to no parcel'] })
  if (other) throw invalid({ tracking_number: ['belongs to several parcels: name the carrier'] })
  return parcel
}

interface Outcome {
  parcel?: FoundParcel
  errors: FieldErrors
}

const linesOf = async (db: Db, store: StoreId, { results, carrier_id }: CarrierResults) => {
  const numbers = results.map(({ tracking_number }) => tracking_number)
  const byPlace = groupBy(await parcelsByNumber(db, store, numbers, carrier_id ?? null), ({ place }) => String(place))
  return (place: number) => byPlace(String(place))
}

const report = async (db: Db, store: StoreId, { results }: CarrierResults, outcomes: readonly Outcome[]) => {
  const states = await statesOfParcels(
    db,
    store,
    outcomes.flatMap(({ parcel }) => parcel?.id ?? []),
  )
  return JSON.stringify(
    outcomes.map(({ parcel, errors }, place) => ({
      ...results[place],
      parcel_id: parcel?.id ?? null,
      order_id: parcel?.order_id ?? null,
      order_ref: parcel?.order_ref ?? null,
      previous_state: parcel?.state ?? null,
      state: (parcel && states.get(parcel.id)) ?? null,
      errors,
    })),
  )
}

/** A line that is refused leaves the others alone: its writes are rolled back. */
const attempt = async (db: Tx, act: () => Promise<Outcome>, parcel: FoundParcel | undefined): Promise<Outcome> => {
  await sql`savepoint line`.execute(db)
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    await sql`rollback to savepoint line`.execute(db)
    const isOfLine = 'tracking_number' in error.fields || 'result' in error.fields
    return { ...(parcel && { parcel }), errors: isOfLine ? error.fields : { result: [error.message] } }
  }
}

/** Records what a carrier says about its parcels. Returns the results of the lines as JSON. */
export const applyResults = async (db: Tx, store: StoreId, app: AppRecord, given: CarrierResults): Promise<string> => {
  const { results, restock = false } = given
  const before = await linesOf(db, store, given)
  await lockOrders(
    db,
    store,
    results.flatMap((_line, place) => before(place).map(({ order_id }) => order_id)),
  )
  // Read again: whoever held the locks may have changed the parcels.
  const found = await linesOf(db, store, given)
  const seen = new Map<string, Result>()
  const outcomes: Outcome[] = []
  for (const [place, { result }] of results.entries()) {
    const [parcel] = found(place)
    const act = async (): Promise<Outcome> => {
      const parcel = parcelOf(found(place))
      const earlier = seen.get(parcel.id)
      if (earlier && earlier !== result) throw invalid({ tracking_number: ['is in another line with another result'] })
      if (!earlier) await applyResult(db, store, app, parcel, { result, restock })
      // Only then: what was refused in one line is refused in the next.
      seen.set(parcel.id, result)
      return { parcel, errors: {} }
    }
    outcomes.push(await attempt(db, act, found(place).length === 1 ? parcel : undefined))
  }
  const changed = outcomes.flatMap(({ parcel, errors }) =>
    parcel && Object.keys(errors).length === 0 ? parcel.order_id : [],
  )
  await keepOrderTexts(db, store, [...new Set(changed)])
  return report(db, store, given, outcomes)
}

/** The lines as they are now, for a retry whose first reply was too large to be stored. */
export const currentResults = async (db: Db, store: StoreId, given: CarrierResults): Promise<string> => {
  const found = await linesOf(db, store, given)
  const outcomes = given.results.map((_line, place): Outcome => {
    const [parcel] = found(place)
    return parcel ? { parcel, errors: {} } : { errors: { tracking_number: ['belongs to no parcel'] } }
  })
  return report(db, store, given, outcomes)
}
