import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from '../../core/storage/database.ts'
import { databaseCaller } from '../../core/storage/database-caller.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { outsideTrace } from '../../core/tracing.ts'
import type { Egress, Outcome } from '../webhooks/egress.ts'
import { nextAttempt, type RetryRules } from '../webhooks/retries.ts'
import type { WebhookSecrets } from '../webhooks/signing.ts'

/** Longer than a request may take, so that two nodes never post the same message at a time. */
const LEASE_SECONDS = 30
const MAX_PARALLEL = 8
/** Timers cannot be set for longer; an earlier look does no harm. */
const MAX_SLEEP_MS = 60_000
const KEPT_DAYS = 30

interface Post {
  app_id: string
  client_id: string
  change: number
  store_id: StoreId
  install_id: string
  type: string
  permissions: string[]
  at: Date
  attempts: number
  first_at: Date | null
  url: string | null
  generation: number
}

export interface LifecycleServices {
  db: Db
  log: Logger
  egress: Egress
  secrets: WebhookSecrets
  retries: RetryRules
  /** Whether this process sends anything. */
  isOn: boolean
}

/** Leases messages that are due. One of a store waits until the one before it has been accepted or given up. */
const leaseDue = async (db: Db): Promise<Post[]> => {
  const { rows } = await sql<Post>`with due as (
      select p.store_id, p.app_id, p.change from lifecycle_post p
      where p.done_at is null and p.due_at <= now() and (p.leased_until is null or p.leased_until < now())
        and not exists (select 1 from lifecycle_post earlier where earlier.store_id = p.store_id
          and earlier.app_id = p.app_id and earlier.change < p.change and earlier.done_at is null)
      order by p.due_at limit ${MAX_PARALLEL} for update skip locked
    )
    update lifecycle_post p set leased_until = now() + ${LEASE_SECONDS} * interval '1 second'
    from due, app a, app_manifest m
    where p.store_id = due.store_id and p.app_id = due.app_id and p.change = due.change
      and a.id = p.app_id and m.app_id = p.app_id
    returning p.app_id, a.client_id, p.change, p.store_id, p.install_id, p.type, p.permissions, p.at, p.attempts,
      p.first_at, m.manifest->>'lifecycle_url' as url, m.lifecycle_generation as generation`.execute(db)
  return rows
}

const bodyOf = ({ client_id, change, store_id, install_id, type, permissions, at }: Post) =>
  Buffer.from(
    JSON.stringify({
      type,
      timestamp: at.toISOString(),
      data: { client_id, install_id, store: store_id, permissions, change },
    }),
  )

const settle = (db: Db, { store_id, app_id, change }: Post, values: object) =>
  db
    .updateTable('lifecycle_post')
    .set({ leased_until: null, ...values })
    .where('store_id', '=', store_id)
    .where('app_id', '=', app_id)
    .where('change', '=', change)
    .execute()

const record = (db: Db, retries: RetryRules, post: Post, { fault, status, retryAfter }: Outcome) => {
  const now = Date.now()
  const first_at = post.first_at ?? new Date(now)
  const attempts = post.attempts + 1
  const tried = { attempts, first_at, status, error: fault }
  if (fault === null) return settle(db, post, { ...tried, done_at: new Date(now) })
  const next = nextAttempt(retries, { attempts, firstAt: first_at.getTime(), retryAfter }, now)
  return settle(
    db,
    post,
    next === undefined ? { ...tried, done_at: new Date(now) } : { ...tried, due_at: new Date(next) },
  )
}

const NO_ADDRESS: Outcome = { status: null, fault: 'address', ms: 0 }

export type Lifecycle = ReturnType<typeof createLifecycle>

/**
 * Tells apps what happens to their installations, in order for each store, signed as webhooks are, for three days. Does
 * nothing until it is woken: by a write of this process, an announcement of another, or the time of the next attempt.
 */
export const createLifecycle = ({ db, log, egress, secrets, retries, isOn }: LifecycleServices) => {
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isWoken = false
  let isStopped = false
  const stopping = new AbortController()

  const send = async (post: Post) => {
    const body = bodyOf(post)
    const id = `${post.install_id}.${post.change}`
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Storefront-Apps-Webhooks/1',
      ...secrets.sign(post.app_id, [post.generation], id, body),
    }
    const { url } = post
    const outcome = url ? await outsideTrace(() => egress.post(url, headers, body, stopping.signal)) : NO_ADDRESS
    await record(db, retries, post, outcome)
  }

  const sleepUntilNext = async () => {
    const { rows } = await sql<{
      ms: number | null
    }>`select (extract(epoch from min(greatest(due_at, leased_until)) - now())
      * 1000)::float8 as ms from lifecycle_post where done_at is null`.execute(db)
    const ms = rows[0]?.ms
    if (ms === null || ms === undefined || isStopped) return
    timer = setTimeout(wake, Math.min(Math.max(ms, 50), MAX_SLEEP_MS)).unref()
  }

  const work = async () => {
    do {
      isWoken = false
      for (let due = await leaseDue(db); due.length > 0 && !isStopped; due = await leaseDue(db))
        await Promise.all(due.map(send))
    } while (isWoken && !isStopped)
    await sleepUntilNext()
  }

  const wake = () => {
    if (isStopped || !isOn) return
    isWoken = true
    clearTimeout(timer)
    running ??= databaseCaller
      .exit(work)
      .catch((error) => {
        if (!isStopped) log.debug({ err: error }, 'messages to apps were interrupted, will be continued')
      })
      .finally(() => {
        running = undefined
      })
  }

  return {
    wake,
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      stopping.abort()
      await running
    },
  }
}

/** What is kept of removed installations and sent messages goes after 30 days; codes and grants when they have expired. */
export const deleteOldAppRows = async (db: Db) => {
  const old = sql`now() - ${KEPT_DAYS} * interval '1 day'`
  await sql`delete from removed_installation where removed_at < ${old}`.execute(db)
  await sql`delete from lifecycle_post where done_at < ${old}`.execute(db)
  // A used code is kept for a day after it expired, so that a second use is noticed.
  await sql`delete from oauth_code where expires_at < now() - interval '1 day'`.execute(db)
  await sql`delete from oauth_grant where expires_at < now()`.execute(db)
}
