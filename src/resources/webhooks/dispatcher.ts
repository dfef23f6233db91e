import { readWork, sweepWork } from '../../core/jobs/store-work.ts'
import { createReader } from '../../core/reading/reader.ts'
import { databaseCaller } from '../../core/storage/database-caller.ts'
import { createFairQueue } from '../../core/storage/fair-queue.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { Dispatch, DispatcherServices } from './dispatch.ts'
import { Drain } from './drain.ts'
import { findStoresWithIdleWebhooks, findWebhooksOf, leaseWebhook, takeIdleWebhooks } from './leases.ts'

const MAX_SENDS = 64
const MAX_SENDS_PER_STORE = 16
const MAX_SENDS_PER_APP = 32
/** Webhooks that a process delivers for at a time. */
const MAX_HELD = 200
/** Stores that are known to have webhooks: their changes are acted on at once. */
const MAX_KNOWN = 10_000
/** After so many polls, one of all processes looks for work that nobody has noted. */
const POLLS_A_SWEEP = 10

export type Dispatcher = ReturnType<typeof startDispatcher>

/** Delivers webhooks, in every process unless the operator has turned it off. */
export const startDispatcher = (services: DispatcherServices) => {
  const { db, hub, log, accessCache, fileUrls, kinds, options, pool } = services
  const drains = new Map<string, Drain>()
  const running = new Set<Promise<void>>()
  const known = new Set<string>()
  /** Stores whose webhooks are all leased, as far as is known. They are skipped until the next poll. */
  const served = new Set<string>()
  let changed = new Set<string>()
  let isLooking = false
  let polling: NodeJS.Timeout | undefined
  let isStopping = false

  const sends = createFairQueue({ slots: MAX_SENDS })
  const readSlots = Math.max(1, Math.floor(pool / 4))
  const reads = createFairQueue({ slots: readSlots })

  const dispatch: Dispatch = {
    ...services,
    slots: ({ id, store_id, app_id, lanes }, work) =>
      sends.run(
        [
          { key: `webhook ${id}`, max: lanes },
          { key: `store ${store_id}`, max: MAX_SENDS_PER_STORE },
          { key: `app ${app_id}`, max: MAX_SENDS_PER_APP },
        ],
        work,
      ),
    inTurn: ({ store_id, app_id, installation_id }, work) =>
      reads.run([{ key: store_id, max: readSlots }], () =>
        // Has its own share of connections, so it does not wait behind the requests of its installation.
        databaseCaller.run(
          { app: app_id, installation: `${installation_id} webhooks`, store: store_id, isGone: () => false },
          work,
        ),
      ),
    readerOf: async ({ store_id, installation_id }) => {
      const installation = await accessCache.installation(installation_id)
      const showsSold = installation?.permissions.has('file:browse') ?? false
      return createReader(kinds, store_id, { ...fileUrls, showsSold })
    },
    isCrowded: () => drains.size >= MAX_HELD,
  }

  const remember = (store: StoreId) => {
    known.add(store)
    if (known.size > MAX_KNOWN) known.delete(known.keys().next().value as string)
  }

  const hold = async (store: StoreId, id: string) => {
    const webhook = await leaseWebhook(db, store, id)
    if (!webhook) return
    remember(store)
    const drain = new Drain(dispatch, webhook)
    const unwatch = hub.watch(store)
    drains.set(id, drain)
    const run = drain.run().finally(() => {
      unwatch()
      drains.delete(id)
      served.delete(store)
      running.delete(run)
    })
    running.add(run)
  }

  const holdAll = async (found: readonly { store_id: StoreId; id: string }[]) => {
    for (const { store_id, id } of found) if (!isStopping && !drains.has(id)) await hold(store_id, id)
  }

  const ignoring = (work: () => Promise<void>) =>
    databaseCaller.exit(work).catch((error) => log.debug({ err: error }, 'webhooks were not looked for'))

  const poll = async () => {
    served.clear()
    await ignoring(async () => {
      await sweepWork(db, 'webhooks', POLLS_A_SWEEP * options.pollMs, () => findStoresWithIdleWebhooks(db))
      await holdAll(await takeIdleWebhooks(db, MAX_HELD - drains.size))
    })
    if (!isStopping) polling = setTimeout(poll, options.pollMs).unref()
  }

  const start = async () => {
    await ignoring(async () => {
      for (const { store_id } of (await readWork(db, 'webhooks')).slice(0, MAX_KNOWN)) remember(store_id)
    })
    await poll()
  }

  /** Leases webhooks of changed stores. Stores that change while it runs are handled in the next round. */
  const takeChanged = async () => {
    if (isLooking) return
    isLooking = true
    while (changed.size > 0 && !isStopping) {
      const stores = [...changed]
      changed = new Set()
      for (const store of stores) served.add(store)
      await ignoring(async () => holdAll(await findWebhooksOf(db, stores, MAX_HELD - drains.size)))
    }
    isLooking = false
  }

  const unsubscribe = hub.subscribe((store) => {
    for (const drain of drains.values()) if (drain.store === store) drain.wake()
    if (isStopping || !known.has(store) || served.has(store)) return
    changed.add(store)
    void takeChanged()
  })
  polling = setTimeout(start, options.pollMs).unref()

  return {
    /** Call when a webhook of the store may have work: the next announced change leases it. */
    expect: (store: StoreId) => {
      remember(store)
      served.delete(store)
    },
    /** Finishes sends in flight within `ms`, and leaves everything else to other processes. */
    stop: async (ms: number) => {
      isStopping = true
      unsubscribe()
      clearTimeout(polling)
      for (const drain of drains.values()) drain.end(ms)
      while (running.size > 0) await Promise.all(running)
    },
  }
}
