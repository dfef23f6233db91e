import type { AppRecord } from '../../core/http/access.ts'
import { ADVISORY_LOCKS } from '../../core/storage/advisory-locks.ts'
import type { Tx } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { Claim } from './desk-schema.ts'

/** So long nobody else gets the order. Claiming it again renews that. */
export const CLAIM_MINUTES = 3

/** One request of a person after the other: two at once would each miss the order that the other one takes. */
const LOCK_CLAIMANT = sqlText`select pg_advisory_xact_lock(${ADVISORY_LOCKS.claims}, hashtext($1 || $2))`

/** The named order and those of the caller, in the order of their ids: two people may swap theirs at the same moment. */
const LOCK_BOTH = sqlText`select o.id from orders o
  where o.store_id = $1 and (o.id = $3 or o.claimed_by = $2 and o.confirmation in ('waiting', 'no_answer', 'postponed')
    and not o.is_cancelled)
  order by o.id for no key update`

/** Other orders of the same person are free again: one has one order at a time. */
const RELEASE = sqlText`update orders o set claimed_by = null, claimed_until = null
  where o.store_id = $1 and o.claimed_by = $2 and o.confirmation in ('waiting', 'no_answer', 'postponed')
    and not o.is_cancelled and ($3::uuid is null or o.id = $3::uuid)`

/** Whoever asks at the same time passes over what another is taking. */
const MOST_URGENT = sqlText`select o.id from orders o
  where o.store_id = $1 and o.confirmation in ('waiting', 'no_answer', 'postponed') and not o.is_cancelled
    and not o.is_archived and o.status <> 'abandoned'
    and (o.confirmation_next_at is null or o.confirmation_next_at <= now())
    and (o.claimed_until is null or o.claimed_until <= now() or o.claimed_by = $2) and o.id <> all($3::uuid[])
  order by coalesce(o.confirmation_next_at, o.created_at), o.total desc, o.id
  limit 1 for no key update skip locked`

const NAMED = sqlText`select o.id from orders o
  where o.store_id = $1 and o.id = $3 and (o.claimed_until is null or o.claimed_until <= now() or o.claimed_by = $2)
  for no key update`

const TAKE = sqlText`update orders o set claimed_by = $2, claimed_until = now() + interval '${CLAIM_MINUTES} minutes'
  where o.store_id = $1 and o.id = $3`

/** A person, or the app that has no person. */
export const claimant = (app: AppRecord) => app.account?.id ?? app.id

/** Gives the caller an order to confirm, for three minutes. Undefined if there is none, or if somebody else has it. */
export const claimOrder = async (db: Tx, store: StoreId, app: AppRecord, given: Claim) => {
  const { order_id, exclude = [], release = false } = given
  const who = claimant(app)
  await runSql(db, LOCK_CLAIMANT, [store, who])
  if (order_id && !release) await runSql(db, LOCK_BOTH, [store, who, order_id])
  await runSql(db, RELEASE, [store, who, release ? (order_id ?? null) : null])
  if (release) return undefined
  const [found] = order_id
    ? await runSql<{ id: string }>(db, NAMED, [store, who, order_id])
    : await runSql<{ id: string }>(db, MOST_URGENT, [store, who, exclude])
  if (!found) return undefined
  await runSql(db, TAKE, [store, who, found.id])
  return found.id
}
