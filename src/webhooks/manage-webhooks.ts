import type { BlockList } from 'node:net'
import { sql } from 'kysely'
import { invalid, notFound } from '../errors.ts'
import { currentCursor, feedId, requireCursor } from '../events/feed.ts'
import { type Cursor, decodeCursor } from '../events/feed-cursor.ts'
import type { EventKinds } from '../events/kinds.ts'
import type { Tx } from '../storage/database.ts'
import { sqlText } from '../storage/sql.ts'
import { runSql } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { refusalOfUrl } from './addresses.ts'
import { MAX_WEBHOOKS, type NewWebhook, type PauseReason, type WebhookChanges } from './schema.ts'
import type { WebhookSecrets } from './signing.ts'
import type {} from './tables.ts'

/** Whose webhooks a call is about. */
export interface Owner {
  store: StoreId
  installation: string
  permissions: ReadonlySet<string>
}

export interface Rules {
  secrets: WebhookSecrets
  opened: BlockList | undefined
  eventKinds: EventKinds
}

const checkUrl = (url: string, { opened }: Rules) => {
  const refusal = refusalOfUrl(url, opened)
  if (refusal) throw invalid({ url: [refusal] })
}

/** Locks the webhook until the transaction ends; 404 unless it is the caller's own. */
export const lockWebhook = async (db: Tx, { store, installation }: Owner, id: string) => {
  const webhook = await db
    .selectFrom('webhook')
    .select(['id', 'state', 'reason', 'position', 'n', 'generation', 'key_mark', 'types', 'changed', 'ignore_self'])
    .where('store_id', '=', store)
    .where('id', '=', id)
    .where('installation_id', '=', installation)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!webhook) throw notFound('webhook')
  return webhook
}

/** Where a webhook starts to read. */
const placeOf = async (db: Tx, store: StoreId, text: string, field: string): Promise<Cursor> => {
  if (text === 'now') return currentCursor(db, store)
  const cursor = decodeCursor(text, field)
  await requireCursor(db, store, cursor)
  return cursor
}

export const createWebhook = async (db: Tx, owner: Owner, rules: Rules, given: NewWebhook): Promise<string> => {
  const { store, installation, permissions } = owner
  const { cursor = 'now', changed = null, ...fields } = given
  checkUrl(given.url, rules)
  rules.eventKinds.checkTypes(given.types, permissions)
  // Concurrent requests must not exceed the limit together.
  const { app_id } = await db
    .selectFrom('installation')
    .select('app_id')
    .where('id', '=', installation)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const { count } = await db
    .selectFrom('webhook')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('store_id', '=', store)
    .where('installation_id', '=', installation)
    .executeTakeFirstOrThrow()
  if (count >= MAX_WEBHOOKS)
    throw invalid({ url: [`cannot be added: the installation has ${MAX_WEBHOOKS} webhooks already`] })
  const { position, n } = await placeOf(db, store, cursor, 'cursor')
  const { id } = await db
    .insertInto('webhook')
    .values({
      ...fields,
      url: new URL(given.url).href,
      changed,
      store_id: store,
      installation_id: installation,
      app_id,
      position,
      n,
      key_mark: rules.secrets.mark,
      due_at: sql`now()`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const update = (db: Tx, store: StoreId, id: string) =>
  db.updateTable('webhook').where('store_id', '=', store).where('id', '=', id).set({ updated_at: sql`now()` })

export const updateWebhook = async (db: Tx, owner: Owner, rules: Rules, id: string, changes: WebhookChanges) => {
  await lockWebhook(db, owner, id)
  if (changes.url !== undefined) checkUrl(changes.url, rules)
  if (changes.types) rules.eventKinds.checkTypes(changes.types, owner.permissions)
  const { url } = changes
  await update(db, owner.store, id)
    .set({ ...changes, ...(url !== undefined && { url: new URL(url).href }) })
    .execute()
}

export const deleteWebhook = async (db: Tx, owner: Owner, id: string) => {
  await lockWebhook(db, owner, id)
  await db.deleteFrom('webhook').where('store_id', '=', owner.store).where('id', '=', id).execute()
}

/** The delivering process sees the pause before it sends the next events. */
export const pauseWebhook = async (db: Tx, store: StoreId, id: string, reason: PauseReason) => {
  await update(db, store, id)
    .set({ state: 'paused', reason, paused_at: sql`now()` })
    .where('state', '=', 'on')
    .execute()
}

/** Revokes the lease, so that a process that still delivers from the old position cannot store results. */
const moveTo = async (db: Tx, store: StoreId, id: string, { position, n }: Cursor) =>
  update(db, store, id).set({ position, n, lease: null, leased_until: null }).execute()

const resumeFrom = async (db: Tx, store: StoreId, id: string, from: string) => {
  const place = await placeOf(db, store, from, 'from')
  await moveTo(db, store, id, place)
  if (from === 'now')
    await runSql(
      db,
      sqlText`update webhook_delivery set state = 'failed', error = 'skipped', done_at = now(), due_at = null
      where store_id = $1 and webhook_id = $2 and state = 'waiting'`,
      [store, id],
    )
  // Events after the new position are read and delivered again.
  else
    await runSql(db, sqlText`delete from webhook_delivery where store_id = $1 and webhook_id = $2 and position > $3`, [
      ...[store, id, place.position],
    ])
}

export const resumeWebhook = async (
  db: Tx,
  store: StoreId,
  mark: string,
  webhook: { id: string; position: number; n: number; key_mark: string },
  from: string,
) => {
  const { id, position, n } = webhook
  if (webhook.key_mark !== mark)
    throw invalid({ secret: ['must be rotated first: the key of the service has changed since it was made'] })
  if (from === 'stopped') await requireCursor(db, store, { feed: await feedId(db, store), position, n })
  else await resumeFrom(db, store, id, from)
  await update(db, store, id)
    .set({
      state: 'on',
      reason: null,
      paused_at: null,
      failures: 0,
      failing_since: null,
      warned_at: null,
      stalled: false,
      due_at: sql`now()`,
    })
    .execute()
  // Waiting deliveries get their full retry time again.
  await runSql(
    db,
    sqlText`update webhook_delivery set first_at = null, due_at = case when due_at is not null then $3::timestamptz end
    where store_id = $1 and webhook_id = $2 and state = 'waiting'`,
    [store, id, new Date()],
  )
}

export const rotateSecret = async (db: Tx, owner: Owner, { secrets }: Rules, id: string, overlap: number) => {
  const { generation, key_mark } = await lockWebhook(db, owner, id)
  // A secret derived from an earlier key can no longer sign.
  const seconds = key_mark === secrets.mark ? overlap : 0
  await update(db, owner.store, id)
    .set({
      generation: generation + 1,
      key_mark: secrets.mark,
      previous_until: seconds > 0 ? sql`now() + make_interval(secs => ${seconds})` : null,
    })
    .execute()
}
