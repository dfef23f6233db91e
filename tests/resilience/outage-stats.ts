import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { ShopCaller } from './seeded-shop.ts'

/** What clients experienced during an outage. */
export interface OutageStats {
  asked: number
  served: number
  unavailable: number
  /** Anything but a reply or a timely 503: broken connections, 500s, slow replies. */
  wrong: string[]
  /** Emails of customers whose creation was acknowledged. */
  acknowledged: string[]
}

/** Callers get a 503 within 5 s of an outage; a busy machine may take somewhat longer. */
const MAX_MS = 8_000

/** Concurrent reads and writes until stopped. */
export const startLoad = (caller: ShopCaller, atOnce = 8) => {
  const stats: OutageStats = { asked: 0, served: 0, unavailable: 0, wrong: [], acknowledged: [] }
  let stopped = false

  const step = async (n: number) => {
    stats.asked++
    const email = `load-${randomUUID()}@example.com`
    const answer =
      n % 3 === 0 ? await caller.post('/customer', { email }) : await caller.get(n % 3 === 1 ? '/order' : '/product')
    const { status, ms, text, headers } = answer
    if (ms > MAX_MS) stats.wrong.push(`${status} after ${Math.round(ms)} ms`)
    if (status === 201) stats.acknowledged.push(email)
    if (status === 200 || status === 201) stats.served++
    else if (status === 503 && headers.get('retry-after') && answer.body?.code === 'unavailable') {
      stats.unavailable++
      await sleep(50)
    } else stats.wrong.push(`${status} ${text.slice(0, 200)}`)
  }
  const one = async (n: number) => {
    for (let turn = n; !stopped; turn++) await step(turn).catch((error) => stats.wrong.push(String(error)))
  }
  const running = Array.from({ length: atOnce }, (_, n) => one(n))
  return {
    stats,
    stop: async () => {
      stopped = true
      await Promise.all(running)
      return stats
    },
  }
}

/** Milliseconds until the service replies normally again. */
export const untilServed = async (caller: ShopCaller, patienceMs = 20_000) => {
  const began = performance.now()
  while (performance.now() - began < patienceMs) {
    if ((await caller.get('/order')).status === 200) return performance.now() - began
    await sleep(100)
  }
  throw new Error('The service did not recover.')
}

export const missingCustomers = async (db: pg.ClientBase, emails: string[]): Promise<string[]> => {
  const { rows } = await db.query('select email from customer where email = any($1)', [emails])
  const there = new Set(rows.map(({ email }) => email))
  return emails.filter((email) => !there.has(email))
}
