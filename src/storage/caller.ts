import { AsyncLocalStorage } from 'node:async_hooks'

/** On whose behalf the database is asked. */
export interface DatabaseCaller {
  app: string | undefined
  installation: string | undefined
  store: string | undefined
  /** Nobody waits for the answer any more. */
  isGone: () => boolean
}

/** Empty for what the service does for itself: housekeeping, looking up who calls. */
export const databaseCaller = new AsyncLocalStorage<DatabaseCaller>()
