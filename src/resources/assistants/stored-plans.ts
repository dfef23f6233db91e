import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Caller } from '../../core/http/access.ts'
import { isUuid } from '../../core/input/uuid.ts'
import type { Db } from '../../core/storage/database.ts'
import { newId } from '../../core/storage/new-id.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { Call } from './operations.ts'
import { ToolError } from './tool-error.ts'

export const PLAN_MINUTES = 5
/** A plan that was begun in time may be finished within this time. */
const FINISH_MINUTES = 60
const LEASE_SECONDS = 30

/** A request of a plan, and the version that the caller was shown. */
export interface PlannedItem extends Call {
  label: string
  /** Items of the same resource have the same. */
  resource: string
  etag?: string | undefined
}

interface Owner {
  store: StoreId
  caller: Caller
  permissions: ReadonlySet<string>
}

interface Row {
  id: string
  installation_id: string
  operation: string
  items: string
  expires_at: Date
}

/** Covers what was planned, for whom, and what the caller was allowed then. */
const signatureOf = (key: Buffer, { id, installation_id, operation, items, expires_at }: Row, owner: Owner) => {
  const { store, caller, permissions } = owner
  const signed = [
    id,
    store,
    installation_id,
    caller.app.id,
    caller.app.account?.id ?? '',
    [...permissions].sort().join(),
    operation,
    createHash('sha256').update(items).digest('hex'),
    expires_at.toISOString(),
  ]
  return createHmac('sha256', key).update(JSON.stringify(signed)).digest().subarray(0, 18).toString('base64url')
}

const installationOf = ({ caller }: Owner) => caller.installation?.id as string

export const storePlan = async (db: Db, key: Buffer, owner: Owner, operation: string, items: PlannedItem[]) => {
  const row = {
    id: newId(),
    installation_id: installationOf(owner),
    operation,
    items: JSON.stringify(items),
    expires_at: new Date(Date.now() + PLAN_MINUTES * 60_000),
  }
  await db
    .insertInto('assistant_plan')
    .values({ store_id: owner.store, ...row })
    .execute()
  return { plan: `plan_${row.id}.${signatureOf(key, row, owner)}`, expires_at: row.expires_at.toISOString() }
}

const isSame = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

const refuse = (message: string, hint = 'Nothing was changed. Make a new plan.') =>
  new ToolError(message, { field: 'plan', hint })

/** The plan that a text names, if it is the caller's own and nothing that it is bound to has changed. */
export const findPlan = async (db: Db, key: Buffer, owner: Owner, text: unknown): Promise<Row> => {
  const [, id = '', signature = ''] = /^plan_([0-9a-f-]{36})\.([\w-]{24})$/.exec(String(text)) ?? []
  if (!isUuid(id)) throw refuse('This is not a plan: pass on what the tool plan has returned as plan, unchanged.')
  const row = await db
    .selectFrom('assistant_plan')
    .select(['id', 'installation_id', 'operation', 'items', 'expires_at'])
    .where('store_id', '=', owner.store)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row || row.installation_id !== installationOf(owner) || !isSame(signature, signatureOf(key, row, owner)))
    throw refuse(
      'This plan is not valid: it was altered, has ended, is of another caller, or permissions have changed.',
    )
  return row
}

/** Takes the plan for one request. Only one at a time can have it, and none when it is done. */
export const claimPlan = async (db: Db, store: StoreId, id: string) => {
  const lease = randomUUID()
  const claimed = await db
    .updateTable('assistant_plan')
    .set({
      lease,
      lease_until: sql`now() + ${LEASE_SECONDS} * interval '1 second'`,
      // The first time stays. Not `coalesce`: Citus refuses times of its own in it.
      started_at: sql`least(started_at, now())`,
    })
    .where('store_id', '=', store)
    .where('id', '=', id)
    .where('result', 'is', null)
    .where(sql<boolean>`(lease_until is null or lease_until < now())`)
    .where(
      sql<boolean>`(started_at is null and expires_at > now()
        or started_at > now() - ${FINISH_MINUTES} * interval '1 minute')`,
    )
    .returning('started_at')
    .executeTakeFirst()
  if (claimed) return lease
  const row = await db
    .selectFrom('assistant_plan')
    .select(['result', 'lease_until', sql<boolean>`expires_at <= now()`.as('is_expired')])
    .where('store_id', '=', store)
    .where('id', '=', id)
    .executeTakeFirst()
  if (row?.result)
    throw refuse(`This plan has been applied already: ${row.result}`, 'It is applied once. Do not repeat it.')
  if (row?.lease_until && row.lease_until > new Date())
    throw refuse(
      'This plan is being applied at the moment.',
      'Wait 30 seconds, then apply it again to learn the result.',
    )
  throw refuse(`This plan has expired: it may be applied within ${PLAN_MINUTES} minutes.`)
}

/** Whether this request still has the plan. */
export const renewLease = async (db: Db, store: StoreId, id: string, lease: string) => {
  const { numUpdatedRows } = await db
    .updateTable('assistant_plan')
    .set({ lease_until: sql`now() + ${LEASE_SECONDS} * interval '1 second'` })
    .where('store_id', '=', store)
    .where('id', '=', id)
    .where('lease', '=', lease)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export const finishPlan = (db: Db, store: StoreId, id: string, lease: string, result: string) =>
  db
    .updateTable('assistant_plan')
    .set({ result, lease_until: null })
    .where('store_id', '=', store)
    .where('id', '=', id)
    .where('lease', '=', lease)
    .execute()

/** Deletes plans that can neither be applied nor finished any more. */
export const deleteOldPlans = (db: Db) =>
  sql`delete from assistant_plan where expires_at < now() - ${FINISH_MINUTES} * interval '1 minute'`.execute(db)
