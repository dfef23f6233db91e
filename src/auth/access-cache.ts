import type { AppRecord, InstallationRecord } from '../http/access.ts'
import type { Db } from '../storage/database.ts'
import { findApp, findAppByClientId, findInstallation } from './queries.ts'

/** What changes about apps and installations is announced here, by triggers. */
export const ACCESS_CHANNEL = 'access_changed'

/** The net under the announcements: what was missed is forgotten after this time. */
const MAX_AGE_MS = 5_000
/**
 * What has neither been read nor been covered by announcements for this long is read anew. With a listening connection
 * that answers its pings that does not happen; without one (a pooler in between, a lost or hanging one) it bounds how
 * long a change stays unnoticed.
 */
const UNHEARD_MS = 1_000
const MAX_ENTRIES = 20_000

interface Entry<T> {
  value: T | undefined
  readAt: number
}

export type AccessCache = ReturnType<typeof createAccessCache>

/** Up to when all announcements have been heard, on the clock of `performance.now()`. */
export interface Announcements {
  heardUntil: number
}

/** Apps and installations in memory, so that a request costs no query to be let in. */
export const createAccessCache = (db: Db, announcements: Announcements) => {
  let version = 0
  let entries: Record<'apps' | 'clients' | 'installations', Map<string, Entry<unknown>>>
  const clear = () => {
    version++
    entries = { apps: new Map(), clients: new Map(), installations: new Map() }
  }
  clear()

  const lookUp = <T>(
    kind: keyof typeof entries,
    key: string,
    find: (db: Db, key: string) => Promise<T | undefined>,
  ): T | undefined | Promise<T | undefined> => {
    const entry = entries[kind].get(key) as Entry<T> | undefined
    const now = performance.now()
    if (entry && now - entry.readAt < MAX_AGE_MS && now - Math.max(entry.readAt, announcements.heardUntil) < UNHEARD_MS)
      return entry.value
    const versionBefore = version
    const readAt = now
    return find(db, key).then((value) => {
      // An announcement that came while the query ran may be about what it read.
      if (versionBefore === version) {
        if (entries[kind].size >= MAX_ENTRIES) entries[kind].clear()
        entries[kind].set(key, { value, readAt })
      }
      return value
    })
  }

  return {
    app: (id: string) => lookUp<AppRecord>('apps', id, findApp),
    client: (clientId: string) => lookUp<AppRecord>('clients', clientId, findAppByClientId),
    installation: (id: string) => lookUp<InstallationRecord>('installations', id, findInstallation),
    /** Changes are rare and reading is cheap: any change empties the book. */
    clear,
  }
}
