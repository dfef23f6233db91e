import type { AccountRecord, AppRecord, GrantRecord, InstallationRecord } from '../../core/http/access.ts'
import type { Db } from '../../core/storage/database.ts'
import { LimitedMap } from '../../core/storage/limited-map.ts'
import { findAccount, findApp, findAppByClientId, findGrant, findInstallation } from './queries.ts'

/** Database triggers announce every change of an app, installation or account on this channel. */
export const ACCESS_CHANNEL = 'access_changed'

/** Safety net: an entry expires after this time even if an announcement was missed. */
const MAX_AGE_MS = 5_000
/**
 * Without a working listening connection (a pooler in between, or a lost connection), an entry expires after this time.
 * While the connection answers its pings, `heardUntil` keeps entries fresh.
 */
const MAX_UNCONFIRMED_MS = 1_000
const MAX_ENTRIES = 20_000

interface Entry<T> {
  value: T | undefined
  readAt: number
}

const none = () => new LimitedMap<string, Entry<unknown>>(MAX_ENTRIES)

export type AccessCache = ReturnType<typeof createAccessCache>

/** All announcements up to this time have been received, by `performance.now()`. */
export interface Announcements {
  heardUntil: number
}

/** Caches apps, installations and accounts, so that the access check needs no query. */
export const createAccessCache = (db: Db, announcements: Announcements) => {
  let version = 0
  let entries: Record<'apps' | 'clients' | 'installations' | 'accounts' | 'grants', LimitedMap<string, Entry<unknown>>>
  const listeners = new Set<(change: string) => void>()
  const clear = (change = '') => {
    version++
    entries = { apps: none(), clients: none(), installations: none(), accounts: none(), grants: none() }
    for (const listener of [...listeners]) listener(change)
  }
  clear()

  const lookUp = <T>(
    kind: keyof typeof entries,
    key: string,
    find: (db: Db, key: string) => Promise<T | undefined>,
  ): T | undefined | Promise<T | undefined> => {
    const entry = entries[kind].get(key) as Entry<T> | undefined
    const now = performance.now()
    if (
      entry &&
      now - entry.readAt < MAX_AGE_MS &&
      now - Math.max(entry.readAt, announcements.heardUntil) < MAX_UNCONFIRMED_MS
    )
      return entry.value
    const versionBefore = version
    const readAt = now
    return find(db, key).then((value) => {
      // Do not cache a row that may have changed while the query ran.
      if (versionBefore === version) {
        entries[kind].set(key, { value, readAt })
      }
      return value
    })
  }

  return {
    app: (id: string) => lookUp<AppRecord>('apps', id, findApp),
    client: (clientId: string) => lookUp<AppRecord>('clients', clientId, findAppByClientId),
    installation: (id: string) => lookUp<InstallationRecord>('installations', id, findInstallation),
    account: (id: string) => lookUp<AccountRecord>('accounts', id, findAccount),
    /** The grant that a token names; undefined if it has ended. */
    grant: (id: string) => lookUp<GrantRecord>('grants', id, findGrant),
    /** Changes are rare, so any change clears the whole cache. */
    clear,
    /** Calls `listener` after each change, with what changed: `installation:<id>`; empty if that is not known. */
    subscribe: (listener: (change: string) => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** Differs after any change. Undefined while announcements may be missed. */
    edition: () => (performance.now() - announcements.heardUntil < MAX_UNCONFIRMED_MS ? version : undefined),
  }
}
