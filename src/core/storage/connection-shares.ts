import type pg from 'pg'
import { type DatabaseCaller, databaseCaller } from './database-caller.ts'
import { DatabaseUnavailableError, type DatabaseWatchdog } from './database-watchdog.ts'
import type { FairQueue, Shares } from './fair-queue.ts'

/** Fraction of the pool that one installation, all installations of an app, or all of a store may hold at once. */
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

/** Gives a slot of a queue back together with the connection. */
export const leaveOnRelease = (client: pg.PoolClient, leave: () => void): pg.PoolClient => {
  const { release } = client
  client.release = (error) => {
    release(error)
    leave()
  }
  return client
}

/** Takes a connection from the pool, queueing fairly. The watchdog decides when to give up. */
export const connectInTurn = (pool: pg.Pool, slots: number, queue: FairQueue, watchdog: DatabaseWatchdog) => {
  const shares = sharesOf(slots)
  return () =>
    new Promise<pg.PoolClient>((resolve, reject) => {
      const caller = databaseCaller.getStore()
      if (watchdog.isAway(caller))
        return reject(new DatabaseUnavailableError('A worker of the database does not answer.'))
      const { admitted, leave } = queue.enter(shares(caller))
      let gaveUp = false
      const giveUp = (error: Error) => {
        gaveUp = true
        leave()
        reject(error)
      }
      const watch = watchdog.watch(giveUp, caller)
      const connect = () => {
        if (gaveUp) return
        pool.connect().then(
          (client) => {
            // Too late: return it unused.
            if (gaveUp) return client.release()
            watch.done()
            resolve(leaveOnRelease(client, leave))
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
