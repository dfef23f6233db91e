import { type Db, sqlState } from '../storage/database.ts'
import { requireStore } from '../stores/manage-stores.ts'
import { OperatorError } from '../stores/operator-error.ts'

export interface NewCarrier {
  name: string
  /** Short, and unique in the store: `aramex`. */
  code: string
  /** Where a parcel is followed: a web address with {tracking_number} in it. */
  trackingUrl?: string | undefined
}

const NUMBER_PLACE = '{tracking_number}'

const shown = ['id', 'name', 'code', 'status'] as const

const checkTemplate = (template: string) => {
  const example = template.replaceAll(NUMBER_PLACE, '1')
  if (template.includes(NUMBER_PLACE) && /^https?:\/\//.test(example) && URL.canParse(example)) return
  throw new OperatorError(
    `--tracking-url must be a web address with ${NUMBER_PLACE} in it, such as https://carrier.example/${NUMBER_PLACE}.`,
  )
}

export const createCarrier = async (db: Db, storeId: string, { name, code, trackingUrl }: NewCarrier) => {
  if (name.trim() === '') throw new OperatorError('--name must not be empty.')
  if (!/^[\w.-]{1,64}$/.test(code))
    throw new OperatorError('--code must be 1 to 64 letters, digits, dots, hyphens or underscores, such as aramex.')
  if (trackingUrl !== undefined) checkTemplate(trackingUrl)
  const store_id = await requireStore(db, storeId)
  try {
    return await db
      .insertInto('shipping_carrier')
      .values({ store_id, name, code, tracking_url: trackingUrl ?? null })
      .returning(shown)
      .executeTakeFirstOrThrow()
  } catch (error) {
    if (sqlState(error) === '23505') throw new OperatorError(`The store has a carrier with the code ${code} already.`)
    throw error
  }
}

export const listCarriers = async (db: Db, storeId: string) => {
  const store = await requireStore(db, storeId)
  return db
    .selectFrom('shipping_carrier')
    .select(shown)
    .where('store_id', '=', store)
    .orderBy('name')
    .orderBy('id')
    .execute()
}

/** Deliveries under way keep their carrier; new ones can no longer choose it. */
export const disableCarrier = async (db: Db, storeId: string, code: string) => {
  const store = await requireStore(db, storeId)
  const disabled = await db
    .updateTable('shipping_carrier')
    .set({ status: 'inactive' })
    .where('store_id', '=', store)
    .where('code', '=', code)
    .returning(shown)
    .executeTakeFirst()
  if (!disabled) throw new OperatorError(`The store has no carrier with the code ${code}.`)
  return disabled
}

/** The operator's command names the carrier alone, since its id is unique in the whole installation. */
export const disableCarrierById = async (db: Db, id: string) => {
  const carrier = /^[0-9a-f-]{36}$/i.test(id)
    ? await db.selectFrom('shipping_carrier').select(['store_id', 'code']).where('id', '=', id).executeTakeFirst()
    : undefined
  if (!carrier) throw new OperatorError(`There is no carrier ${id}.`)
  return disableCarrier(db, carrier.store_id, carrier.code)
}
