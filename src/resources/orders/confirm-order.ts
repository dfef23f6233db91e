import { sql } from 'kysely'
import type { AppRecord } from '../../core/http/access.ts'
import { earliest } from '../../core/input/date-bounds.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound, ValidationErrors } from '../../errors.ts'
import { isTooLong, type NewConfirmation, NOTE_TOO_LONG } from './desk-schema.ts'
import { changedBy, recordChange } from './order-changes.ts'
import type { Written } from './order-reply.ts'
import { updateOrder } from './update-order.ts'

const lockConfirmation = (db: Tx, store: StoreId, id: string) =>
  db
    .selectFrom('orders')
    .select(['status', 'is_cancelled', 'confirmation', 'confirmation_by'])
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()

type Found = NonNullable<Awaited<ReturnType<typeof lockConfirmation>>>

const check = ({ result, note, next_at, cancel }: NewConfirmation, order: Found) => {
  const errors = new ValidationErrors()
  if (order.status === 'abandoned') errors.add('result', 'cannot be recorded: the order is abandoned')
  else if (order.is_cancelled && result !== 'refused' && result !== 'cancelled')
    errors.add('result', 'cannot be recorded: the order is cancelled')
  if (result === 'postponed' && !next_at) errors.add('next_at', 'is required with postponed')
  if (next_at && result !== 'postponed' && result !== 'no_answer')
    errors.add('next_at', 'can only be given with postponed or no_answer')
  if (note && isTooLong(note)) errors.add('note', NOTE_TOO_LONG)
  if (cancel && result !== 'refused') errors.add('cancel', 'can only be given with refused')
  errors.throwIfAny()
}

const AN_HOUR = 3_600_000

/** When to call again. */
const nextCall = ({ result, next_at }: NewConfirmation): Date | null => {
  if (next_at) return earliest(next_at) ?? null
  return result === 'no_answer' ? new Date(Date.now() + AN_HOUR) : null
}

/** An event besides `order.updated`. */
const announce = (db: Tx, store: StoreId, id: string, result: 'confirmed' | 'refused') =>
  db.insertInto('change').values({ store_id: store, kind: 'order', resource_id: id, op: 'n', action: result }).execute()

/** Records what the customer said when they were called. */
export const confirmOrder = async (
  db: Tx,
  store: StoreId,
  app: AppRecord,
  id: string,
  given: NewConfirmation,
): Promise<Written> => {
  const order = await lockConfirmation(db, store, id)
  if (!order) throw notFound('order')
  check(given, order)
  const { result, note, cancel } = given
  const isTakenBack = result === 'waiting'
  // Once cancelling is undone it waits, too, but still has the last result.
  if (isTakenBack && order.confirmation === 'waiting' && order.confirmation_by === null) return { order: id }
  if (!order.is_cancelled && (cancel || result === 'cancelled'))
    await updateOrder(db, store, app, id, { is_cancelled: true })
  await db
    .updateTable('orders')
    .set({
      confirmation: result,
      confirmation_attempts: isTakenBack
        ? sql<number>`greatest(confirmation_attempts - 1, 0)`
        : sql<number>`confirmation_attempts + 1`,
      confirmation_next_at: nextCall(given),
      confirmation_by: isTakenBack ? null : (changedBy(app).account_name ?? app.name),
      confirmation_at: isTakenBack ? null : sql<Date>`now()`,
      confirmation_note: note || null,
      claimed_by: null,
      claimed_until: null,
    })
    .where('store_id', '=', store)
    .where('id', '=', id)
    .execute()
  const event = { subject: 'confirmation', subject_id: id, from_state: order.confirmation, to_state: result } as const
  await recordChange(db, { store, order: id, app }, event)
  if (result === 'confirmed' || result === 'refused') await announce(db, store, id, result)
  return { order: id }
}
