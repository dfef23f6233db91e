import type { Db } from '../storage/database.ts'
import { type AppRecord, findApp, findAppByClientId, findInstallation, type InstallationRecord } from './queries.ts'

/** What changes about apps and installations is announced here, by triggers. */
export const ACCESS_CHANNEL = 'access_changed'

/** The net under the announcements: what was missed is forgotten after this time. */
const TRUSTED_MS = 5_000
/**
 * What has neither been read nor been covered by announcements for this long is read anew. With a listening connection
 * that answers its pings that does not happen; without one (a pooler in between, a lost or hanging one) it bounds how
 * long a change stays unnoticed.
 */
const UNHEARD_MS = 1_000
const MOST_KEPT = 20_000

interface Entry<T> {
  value: T | undefined
  read: number
}

export type AccessBook = ReturnType<typeof createAccessBook>

/** Up to when all announcements have been heard, on the clock of `performance.now()`. */
export interface Announcements {
  heardUntil: number
}

/** Apps and installations in memory, so that a request costs no query to be let in. */
export const createAccessBook = (db: Db, announcements: Announcements) => {
  let edition = 0
  let pages: Record<'apps' | 'clients' | 'installations', Map<string, Entry<unknown>>>
  const forget = () => {
    edition++
    pages = { apps: new Map(), clients: new Map(), installations: new Map() }
  }
  forget()

  const look = <T>(
    page: keyof typeof pages,
    key: string,
    find: (db: Db, key: string) => Promise<T | undefined>,
  ): T | undefined | Promise<T | undefined> => {
    const entry = pages[page].get(key) as Entry<T> | undefined
    const now = performance.now()
    if (entry && now - entry.read < TRUSTED_MS && now - Math.max(entry.read, announcements.heardUntil) < UNHEARD_MS)
      return entry.value
    const opened = edition
    const read = now
    return find(db, key).then((value) => {
      // An announcement that came while the query ran may be about what it read.
      if (opened === edition) {
        if (pages[page].size >= MOST_KEPT) pages[page].clear()
        pages[page].set(key, { value, read })
      }
      return value
    })
  }

  return {
    app: (id: string) => look<AppRecord>('apps', id, findApp),
    client: (clientId: string) => look<AppRecord>('clients', clientId, findAppByClientId),
    installation: (id: string) => look<InstallationRecord>('installations', id, findInstallation),
    /** Changes are rare and reading is cheap: any change empties the book. */
    forget,
  }
}
