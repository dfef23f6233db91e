import { setTimeout as sleep } from 'node:timers/promises'
import type { Run } from './client.ts'
import { send } from './http.ts'
import { createIdentities, createStores, type Identity, withDatabase } from './identities.ts'
import { createPoller } from './poller.ts'

const ROUNDS = 4
/** How long a change stays open. */
const HELD_MS = 400
const MAX_TRIES = 600

/**
 * Transactions that stay open, in a store of their own, beside somebody who polls it. A change has the time at which it was
 * made and is visible later: who polls from the time that the last reply named must see it all the same.
 */
export const pollBesideSlowWriters = async ({ world, history }: Run) => {
  const [store] = (await createStores(world, 1)) as [string]
  const [{ token }] = (await createIdentities(world, store, 1)) as [Identity]
  const { seen, poll, until } = createPoller(token)
  const baseOf = (n: number) => world.nodes[n % world.nodes.length]?.base() as string
  const insist = async <T>(once: (base: string) => Promise<T | undefined | false>): Promise<T> => {
    for (let n = 0; n < MAX_TRIES; n++) {
      const done = await once(baseOf(n))
      if (done) return done
      await sleep(100)
    }
    throw new Error('The store of slow writers is not served.')
  }
  const id = await insist<string>(async (base) => {
    const reply = await send(
      base,
      token,
      'POST',
      '/customer',
      { email: 'slow@shop.example', address: 'none' },
      KEY,
    ).catch(() => undefined)
    return reply?.status === 201 ? reply.body.data.customer.id : undefined
  })
  for (let round = 0; round < ROUNDS; round++) {
    const address = `Street ${round}`
    const committed = await withDatabase(world, async (db) => {
      await db.query('begin')
      await db.query('update customer set address = $1, updated_at = now() where store_id = $2 and id = $3', [
        address,
        store,
        id,
      ])
      for (const end = performance.now() + HELD_MS; performance.now() < end; await sleep(50)) await poll(baseOf(round))
      await db.query('commit')
      const { rows } = await db.query('select clock_timestamp() as now')
      return rows[0].now as Date
    })
    // Transactions of other stores may still be open: what is later than the reply says is seen by a later one.
    await insist(async (base) => (await poll(base)) && new Date(until()) > committed)
    if (seen[id] === address) continue
    const detail = `a transaction that was open for ${HELD_MS} ms: ${seen[id]} instead of ${address}`
    history.complaints.push({ name: 'a poller missed a change', detail })
  }
}

const KEY = { 'idempotency-key': 'slow-writers' }
