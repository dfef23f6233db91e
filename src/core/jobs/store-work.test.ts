import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { startReceiver } from '../../../tests/support/receiver.ts'
import { dropWork, hastenWork, noteWork, postponeWork, readWork, takeDueWork, type Work } from './store-work.ts'

const OPTIONS = { pollMs: 20, idleMs: 60 }

/** The statements that are sent meanwhile. */
const sentDuring = async (work: () => Promise<unknown>) => {
  const sent: string[] = []
  const prototype = pg.Client.prototype as { query: (...given: unknown[]) => unknown }
  const { query } = prototype
  const spy = vi.spyOn(prototype, 'query').mockImplementation(function record(this: unknown, ...given: unknown[]) {
    const [statement] = given as [string | { text: string }]
    sent.push(typeof statement === 'string' ? statement : statement.text)
    return query.apply(this, given)
  })
  await work().finally(() => spy.mockRestore())
  return sent
}

/** When somebody is to look at the store. */
const dueOf = async ({ db, store }: TestApi, kind: Work) =>
  (await readWork(db, kind)).flatMap(({ store_id, due_at }) => (store_id === store.id ? due_at : []))

const asking = (sent: readonly string[], table: string) =>
  sent.filter((text) => new RegExp(`\\b(from|update|into) ${table}\\b`).test(text)).length

test('a process that has nothing to do asks which stores have work, and not all stores for it', async () => {
  const api = await startTestApi({ WEBHOOK_PRIVATE: '127.0.0.0/8' }, undefined, OPTIONS)
  const all = api.as()
  const receiver = await startReceiver()
  const hook = await all.post('/webhook', { url: receiver.url, types: ['customer.created'] })
  expect(hook.status, hook.text).toBe(201)
  await all.post('/customer', { email: 'one@example.com' })
  await expect.poll(() => receiver.received.length).toBe(1)
  await expect.poll(() => dueOf(api, 'webhooks')).toEqual([Infinity])
  const sent = await sentDuring(() => sleep(1_000))
  expect(asking(sent, 'store_work')).toBeGreaterThan(10)
  // One of all processes does, after every ten polls, and every half minute.
  expect(asking(sent, 'webhook')).toBeLessThanOrEqual(6)
  expect(asking(sent, 'bulk_job')).toBeLessThanOrEqual(1)
  await all.post('/customer', { email: 'two@example.com' })
  await expect.poll(() => receiver.received.length).toBe(2)
})

test('a change that nobody has announced is delivered', async () => {
  const api = await startTestApi({ WEBHOOK_PRIVATE: '127.0.0.0/8' }, undefined, OPTIONS)
  const all = api.as()
  const receiver = await startReceiver()
  const hook = await all.post('/webhook', { url: receiver.url, types: ['customer.updated'], payload: 'thin' })
  expect(hook.status, hook.text).toBe(201)
  await expect.poll(() => dueOf(api, 'webhooks')).toEqual([Infinity])
  await sql`insert into change (store_id, kind, resource_id, op, changed)
    values (${api.store.id}, 'customer', ${randomUUID()}, 'u', '{city}')`.execute(api.db)
  await expect.poll(() => receiver.received.length).toBe(1)
})

/** Nobody looks for it. */
const KIND = 'nothing' as Work

test('work that is noted after a store was taken is not lost', async () => {
  const api = await startTestApi({ WEBHOOKS: 'off' })
  const { db, store } = api
  await noteWork(db, KIND, [store.id])
  const [taken] = await takeDueWork(db, KIND, 30, 10)
  expect(taken?.store_id).toBe(store.id)
  expect(await takeDueWork(db, KIND, 30, 10)).toEqual([])
  await hastenWork(db, KIND, [store.id])
  const seen = taken as NonNullable<typeof taken>
  await dropWork(db, KIND, [seen])
  await postponeWork(db, KIND, [{ ...seen, next: null }])
  expect((await dueOf(api, KIND)).map((due) => due <= new Date())).toEqual([true])
  const [again] = await takeDueWork(db, KIND, 30, 10)
  await dropWork(db, KIND, [again as NonNullable<typeof again>])
  expect(await dueOf(api, KIND)).toEqual([])
})
