import { OperatorError } from '../errors.ts'
import { isUuid } from '../input/uuid.ts'
import type { Db } from '../storage/database.ts'
import { requireStore } from '../stores/manage-stores.ts'

const MAX_NAME_LENGTH = 255
const MAX_TYPES = 20

export const PAYMENT_METHOD_STATUSES = ['active', 'inactive'] as const

export interface PaymentMethodFields {
  name?: string | undefined
  /** Words such as `card` or `cod`. */
  types?: readonly string[] | undefined
  status?: string | undefined
  /** Whether the account at the payment provider is set up. */
  connected?: boolean | undefined
}

const shown = ['id', 'name', 'status', 'payment_types', 'connected'] as const

const columnsOf = ({ name, types, status, connected }: PaymentMethodFields) => {
  if (name !== undefined && (name.trim() === '' || name.length > MAX_NAME_LENGTH))
    throw new OperatorError(`--name must be 1 to ${MAX_NAME_LENGTH} characters.`)
  if (types && (types.length > MAX_TYPES || types.some((type) => !/^[a-z0-9_]{1,64}$/.test(type))))
    throw new OperatorError(
      `--type must be up to ${MAX_TYPES} words of small letters, digits and underscores, such as card or cod.`,
    )
  if (status !== undefined && !PAYMENT_METHOD_STATUSES.some((known) => known === status))
    throw new OperatorError(`--status must be ${PAYMENT_METHOD_STATUSES.join(' or ')}.`)
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(types && { payment_types: [...new Set(types)] }),
    ...(status !== undefined && { status }),
    ...(connected !== undefined && { connected }),
  }
}

export const createPaymentMethod = async (
  db: Db,
  storeId: string,
  { name, ...fields }: PaymentMethodFields & { name: string },
) => {
  const columns = columnsOf({ name, ...fields })
  const store_id = await requireStore(db, storeId)
  return db
    .insertInto('payment_method')
    .values({ name, ...columns, store_id })
    .returning(shown)
    .executeTakeFirstOrThrow()
}

export const listPaymentMethods = async (db: Db, storeId: string) => {
  const store = await requireStore(db, storeId)
  return db
    .selectFrom('payment_method')
    .select(shown)
    .where('store_id', '=', store)
    .orderBy('name')
    .orderBy('id')
    .execute()
}

/** Commands pass only the method's id, which is unique across stores. */
export const updatePaymentMethod = async (db: Db, id: string, fields: PaymentMethodFields) => {
  const columns = columnsOf(fields)
  if (Object.keys(columns).length === 0)
    throw new OperatorError('Say what to change: --name, --type, --status or --connected.')
  const found = isUuid(id)
    ? await db.selectFrom('payment_method').select('store_id').where('id', '=', id).executeTakeFirst()
    : undefined
  const changed =
    found &&
    (await db
      .updateTable('payment_method')
      .set(columns)
      .where('store_id', '=', found.store_id)
      .where('id', '=', id)
      .returning(shown)
      .executeTakeFirst())
  if (!changed) throw new OperatorError(`There is no payment method ${id}.`)
  return changed
}
