import type { StoreId } from './store-id.ts'

/** A worker that has answered is not asked again for this long. */
const ASK_EVERY_MS = 1_000
const MAX_AT_ONCE = 4
const MAX_KNOWN_STORES = 100_000

/** Reads through the coordinator, on a connection of its own. */
export interface WorkerQuestions {
  /** The worker that has the rows of the store. */
  locate(store: StoreId): Promise<string>
  /** Reads a row of the store. Resolves to false if the worker does not answer in time. */
  answers(store: StoreId): Promise<boolean>
}

export interface WorkerWatch {
  /** Called while a statement of the store waits for longer than usual. */
  suspect(store: StoreId): void
  /** Whether the worker with the store's rows does not answer. */
  isAway(store: StoreId): boolean
}

/** Notices that a worker of a distributed database does not answer. The coordinator, which does, hides that. */
export const createWorkerWatch = ({ locate, answers }: WorkerQuestions): WorkerWatch => {
  let workers = new Map<string, string>()
  const answeredAt = new Map<string, number>()
  const away = new Set<string>()
  const asking = new Set<string>()

  const untilBack = async (worker: string, store: StoreId) => {
    while (!(await answers(store).catch(() => false))) {
      await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS).unref())
    }
    away.delete(worker)
  }

  const ask = async (store: StoreId) => {
    const worker = workers.get(store) ?? (await locate(store))
    if (workers.size >= MAX_KNOWN_STORES) workers = new Map()
    workers.set(store, worker)
    const answered = answeredAt.get(worker)
    if (away.has(worker) || (answered && performance.now() - answered < ASK_EVERY_MS)) return
    if (await answers(store)) answeredAt.set(worker, performance.now())
    else if (!away.has(worker)) {
      away.add(worker)
      void untilBack(worker, store)
    }
  }

  return {
    suspect: (store) => {
      if (asking.size >= MAX_AT_ONCE || asking.has(store)) return
      asking.add(store)
      ask(store)
        // The coordinator is away too. The watchdog notices that.
        .catch(() => {})
        .finally(() => asking.delete(store))
    },
    isAway: (store) => {
      const worker = workers.get(store)
      return worker !== undefined && away.has(worker)
    },
  }
}
