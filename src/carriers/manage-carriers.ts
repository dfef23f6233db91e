import { OperatorError } from '../errors.ts'
import { isUuid } from '../input/uuid.ts'
import { type Db, errorCode } from '../storage/database.ts'
import { requireStore } from '../stores/manage-stores.ts'

export interface NewCarrier {
  name: string
  /** Short, unique in the store: `aramex`. */
  code: string
  /** URL with `{tracking_number}` in it. */
  trackingUrl?: string | undefined
}

export interface CarrierChanges {
  name?: string | undefined
  code?: string | undefined
  /** Null removes the URL. */
  trackingUrl?: string | null | undefined
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

const check = ({ name, code, trackingUrl }: CarrierChanges) => {
  if (name?.trim() === '') throw new OperatorError('--name must not be empty.')
  if (code !== undefined && !/^[\w.-]{1,64}$/.test(code))
    throw new OperatorError('--code must be 1 to 64 letters, digits, dots, hyphens or underscores, such as aramex.')
  if (trackingUrl) checkTemplate(trackingUrl)
}

const refuseTaken = (code: string | undefined) => (error: unknown) => {
  throw errorCode(error) === '23505'
    ? new OperatorError(`The store has a carrier with the code ${code} already.`)
    : error
}

export const createCarrier = async (db: Db, storeId: string, carrier: NewCarrier) => {
  check(carrier)
  const { name, code, trackingUrl } = carrier
  const store_id = await requireStore(db, storeId)
  return db
    .insertInto('shipping_carrier')
    .values({ store_id, name, code, tracking_url: trackingUrl ?? null })
    .returning(shown)
    .executeTakeFirstOrThrow()
    .catch(refuseTaken(code))
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

/** Existing deliveries keep their carrier; new ones cannot choose it. */
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

/** Commands pass only the carrier's id, which is unique across stores. */
const changeById = async (
  db: Db,
  id: string,
  columns: { name?: string; code?: string; tracking_url?: string | null; status?: string },
) => {
  const found = isUuid(id)
    ? await db.selectFrom('shipping_carrier').select('store_id').where('id', '=', id).executeTakeFirst()
    : undefined
  const changed =
    found &&
    (await db
      .updateTable('shipping_carrier')
      .set(columns)
      .where('store_id', '=', found.store_id)
      .where('id', '=', id)
      .returning(shown)
      .executeTakeFirst()
      .catch(refuseTaken(columns.code)))
  if (!changed) throw new OperatorError(`There is no carrier ${id}.`)
  return changed
}

export const disableCarrierById = (db: Db, id: string) => changeById(db, id, { status: 'inactive' })

export const enableCarrierById = (db: Db, id: string) => changeById(db, id, { status: 'active' })

/** Tracking links of existing deliveries change too. */
export const updateCarrier = (db: Db, id: string, changes: CarrierChanges) => {
  check(changes)
  const { name, code, trackingUrl } = changes
  const columns = {
    ...(name !== undefined && { name }),
    ...(code !== undefined && { code }),
    ...(trackingUrl !== undefined && { tracking_url: trackingUrl }),
  }
  if (Object.keys(columns).length === 0)
    throw new OperatorError('Say what to change: --name, --code, --tracking-url or --no-tracking-url.')
  return changeById(db, id, columns)
}
