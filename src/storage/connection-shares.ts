import type pg from 'pg'
import { type DatabaseCaller, databaseCaller } from './caller.ts'
import type { DatabaseWatchdog } from './database-watchdog.ts'
import type { FairQueue, Shares } from './fair-queue.ts'

/** How much of the pool one installation may hold at once; all of an app, or of a store, may hold a little more. */
const INSTALLATION_SHARE = 0.5
const APP_SHARE = 0.75
const STORE_SHARE = 0.75

const sharesOf = (slots: number) => {
  const part = (share: number) => Math.max(1, Math.floor(slots * share))
  return (caller: DatabaseCaller | undefined): Shares => {
    if (!caller) return [{ key: 'service', max: slots }]
    const { installation, app, store } = caller
    if (installation === undefined) return [{ key: 'anonymous', max: part(INSTALLATION_SHARE) }]
    return [
      { key: `installation ${installation}`, max: part(INSTALLATION_SHARE) },
      { key: `app ${app}`, max: part(APP_SHARE) },
      { key: `store ${store}`, max: part(STORE_SHARE) },
    ]
  }
}

const releasing = (client: pg.PoolClient, leave: () => void): pg.PoolClient => {
  const { release } = client
  client.release = (error) => {
    release(error)
    leave()
  }
  return client
}

/** Connects to the pool in the caller's turn; gives up when waiting is pointless (database-watchdog.ts). */
export const connectInTurn = (pool: pg.Pool, slots: number, queue: FairQueue, watchdog: DatabaseWatchdog) => {
  const shares = sharesOf(slots)
  return () =>
    new Promise<pg.PoolClient>((resolve, reject) => {
      const caller = databaseCaller.getStore()
      const { admitted, leave } = queue.enter(shares(caller))
      let gaveUp = false
      const giveUp = (error: Error) => {
        gaveUp = true
        leave()
        reject(error)
      }
      const watch = watchdog.watch(giveUp, caller?.isGone)
      const connect = () => {
        if (gaveUp) return
        pool.connect().then(
          (client) => {
            // One that comes too late goes back unused.
            if (gaveUp) return client.release()
            watch.done()
            resolve(releasing(client, leave))
          },
          (error) => {
            if (gaveUp) return
            watch.done()
            giveUp(error)
          },
        )
      }
      if (admitted) admitted.then(connect)
      else connect()
    })
}
