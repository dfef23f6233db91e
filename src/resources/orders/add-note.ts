import { sql } from 'kysely'
import type { AppRecord } from '../../core/http/access.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound, ValidationErrors } from '../../errors.ts'
import { isTooLong, type NewNote, NOTE_TOO_LONG } from './desk-schema.ts'
import { changedBy, lockOrder, trimHistory } from './order-changes.ts'
import type { Written } from './order-reply.ts'

/** Every reply shows an order with its notes. */
const MAX_NOTES = 100

const countNotes = async (db: Tx, store: StoreId, order: string) => {
  const { rows } = await sql<{ notes: number }>`select count(*)::int as notes from order_event
    where store_id = ${store} and order_id = ${order} and subject = 'note'`.execute(db)
  return rows[0]?.notes ?? 0
}

/** The event says that the history has changed, and not what the note says. */
const announce = (db: Tx, store: StoreId, order: string) =>
  db
    .insertInto('change')
    .values({ store_id: store, kind: 'order', resource_id: order, op: 'u', changed: ['history'] })
    .execute()

/** Adds a note to the history of an order. */
export const addNote = async (
  db: Tx,
  store: StoreId,
  app: AppRecord,
  order: string,
  { text }: NewNote,
): Promise<Written> => {
  if (!(await lockOrder(db, store, order))) throw notFound('order')
  const errors = new ValidationErrors()
  if (isTooLong(text)) errors.add('text', NOTE_TOO_LONG)
  else if ((await countNotes(db, store, order)) >= MAX_NOTES)
    errors.add('text', `cannot be added: an order has at most ${MAX_NOTES} notes`)
  errors.throwIfAny()
  await db
    .insertInto('order_event')
    .values({
      store_id: store,
      order_id: order,
      ...changedBy(app),
      subject: 'note',
      subject_id: order,
      to_state: '',
      note: text,
    })
    .execute()
  await db
    .updateTable('orders')
    .set({ updated_at: sql<string>`statement_timestamp()` })
    .where('store_id', '=', store)
    .where('id', '=', order)
    .execute()
  await announce(db, store, order)
  await trimHistory(db, store, order)
  return { order }
}
