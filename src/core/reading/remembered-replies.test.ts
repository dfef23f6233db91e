import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { numberChanges } from '../../resources/events/feed.ts'
import type { StoreId } from '../storage/store-id.ts'
import { createRememberedReplies } from './remembered-replies.ts'

const startShopWithFeed = async () => {
  const api = await startTestApi()
  await numberChanges(api.db, api.store.id)
  return api
}

/** A remembered reply of one store, and how often it was read. */
const countingReply = async (options: Partial<Parameters<typeof createRememberedReplies>[0]> = {}) => {
  const api = await startShopWithFeed()
  const replies = createRememberedReplies({ numberChanges: async () => {}, ...options })
  const reads: string[] = []
  const ask = async (key = 'key', length = 5, during = async () => {}, store = api.store.id) => {
    const body = await replies.body(api.db, store as StoreId, key, async () => {
      reads.push(key)
      await during()
      return { bytes: Buffer.alloc(length), etag: `${key} ${reads.length}` }
    })
    return body.etag
  }
  return { api, replies, reads, ask }
}

/** A promise, and what ends it. */
const createSignal = () => {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { ended, end: () => end() }
}

/** Changes something that no reply of these tests shows. */
const change = ({ db, store }: TestApi, times = 1) =>
  sql`insert into category (store_id, name, name_key)
    select ${store.id}, n, n from (select gen_random_uuid()::text as n from generate_series(1, ${times}::int)) c`.execute(
    db,
  )

const askThrice = async (ask: () => Promise<string>) => [await ask(), await ask(), await ask()]

test('a reply is remembered when it is asked for again, and sent as long as nothing in its store changes', async () => {
  const { api, ask } = await countingReply()
  expect(await askThrice(ask)).toEqual(['key 1', 'key 2', 'key 2'])
  await change(await startShopWithFeed())
  expect(await ask()).toBe('key 2')
  await change(api)
  expect(await askThrice(ask)).toEqual(['key 3', 'key 3', 'key 3'])
  await numberChanges(api.db, api.store.id)
  expect(await askThrice(ask)).toEqual(['key 4', 'key 4', 'key 4'])
  const { rows } = await sql`delete from category where store_id = ${api.store.id} returning 1`.execute(api.db)
  expect(rows).toHaveLength(1)
  expect(await askThrice(ask)).toEqual(['key 5', 'key 5', 'key 5'])
})

test('a change while a reply is read makes it out of date', async () => {
  const { api, ask } = await countingReply()
  const askDuringChange = () => ask('key', 5, async () => void (await change(api)))
  expect([await ask(), await askDuringChange(), await ask(), await ask()]).toEqual(['key 1', 'key 2', 'key 3', 'key 3'])
})

test('nothing is remembered while a store has more than 100 changes without a position', async () => {
  const { api, ask } = await countingReply()
  await change(api, 100)
  expect(await askThrice(ask)).toEqual(['key 1', 'key 2', 'key 2'])
  await change(api)
  expect(await askThrice(ask)).toEqual(['key 3', 'key 4', 'key 5'])
  await numberChanges(api.db, api.store.id)
  expect(await askThrice(ask)).toEqual(['key 6', 'key 6', 'key 6'])
})

test('changes get their positions once at a time, and again later if that failed', async () => {
  const lost = createSignal()
  let numberings = 0
  const failToNumber = async () => {
    numberings++
    await lost.ended
    throw new Error('The database is gone.')
  }
  const { api, ask } = await countingReply({ numberChanges: failToNumber })
  await change(api, 101)
  await askThrice(ask)
  expect(numberings).toBe(1)
  lost.end()
  await askThrice(ask)
  expect(numberings).toBeGreaterThan(1)
})

test('a reply is remembered for as long as was said, even if nothing changes', async () => {
  const { ask } = await countingReply({ maxAgeMs: 10_000 })
  const now = Math.floor(performance.now())
  const clock = vi.spyOn(performance, 'now')
  const askAt = (ms: number) => {
    clock.mockReturnValue(now + ms)
    return ask()
  }
  try {
    expect([await askAt(0), await askAt(0), await askAt(9_999)]).toEqual(['key 1', 'key 2', 'key 2'])
    expect([await askAt(10_000), await askAt(19_999)]).toEqual(['key 3', 'key 3'])
  } finally {
    clock.mockRestore()
  }
})

test('callers who ask at the same time share one read, unless it fails', async () => {
  const { ask, reads } = await countingReply()
  await ask()
  const together = (during?: () => Promise<void>) => Promise.all(Array.from({ length: 9 }, () => ask('key', 5, during)))
  const slowly = () => new Promise<void>((resolve) => setTimeout(resolve, 200))
  expect(new Set(await together(slowly))).toEqual(new Set(['key 2']))
  expect(reads).toHaveLength(2)
  const { ask: askAnew, reads: attempts } = await countingReply()
  await askAnew()
  const refuseFirst = async () => {
    await slowly()
    if (attempts.length === 2) throw new Error('The client is gone.')
  }
  const replies = await Promise.allSettled([1, 2].map(() => askAnew('key', 5, refuseFirst)))
  expect(replies.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('callers who ask after a change share the read that began after it, whichever ends first', async () => {
  const { api, ask, reads } = await countingReply()
  const [before, after] = [createSignal(), createSignal()]
  const untilReads = (count: number) => vi.waitFor(() => expect(reads).toHaveLength(count))
  await ask()
  const first = ask('key', 5, () => before.ended)
  await untilReads(2)
  await change(api)
  const second = ask('key', 5, () => after.ended)
  await untilReads(3)
  before.end()
  expect(await first).toBe('key 3')
  const third = ask('key', 5, () => after.ended)
  // It has asked for the state by then, and a read of its own would have begun.
  await ask('another')
  await ask('another')
  after.end()
  expect([await second, await third]).toEqual(['key 5', 'key 5'])
  expect(reads.filter((key) => key === 'key')).toHaveLength(3)
})

test('stores do not share replies', async () => {
  const { ask } = await countingReply()
  const other = await startShopWithFeed()
  await askThrice(ask)
  expect(await ask('key', 5, undefined, other.store.id)).toBe('key 3')
})

test('the least recently used reply goes first, and a large one is not kept at all', async () => {
  const { ask, replies, reads } = await countingReply({ maxSize: 1_000 })
  for (const key of ['a', 'b', 'c']) for (let n = 0; n < 2; n++) await ask(key, 250)
  await ask('a')
  for (let n = 0; n < 2; n++) await ask('d', 250)
  reads.length = 0
  for (const key of ['a', 'c', 'd', 'b']) await ask(key, 250)
  expect(reads).toEqual(['b'])
  expect(replies.size()).toBeLessThanOrEqual(1_000)
  const large = await countingReply()
  for (let n = 0; n < 3; n++) await large.ask('large', 2 ** 20)
  expect(large.reads).toHaveLength(3)
  expect(large.replies.size()).toBeLessThan(100)
})

test('replies take exactly as much as they may', async () => {
  const { api, ask, replies } = await countingReply({ maxSize: 1_000 })
  const keySize = `${api.store.id} a`.length
  for (const key of ['a', 'b']) for (let n = 0; n < 2; n++) await ask(key, 500 - keySize)
  expect(replies.size()).toBe(1_000)
  expect([await ask('a', 1), await ask('b', 1)]).toEqual(['a 2', 'b 4'])
  const large = await countingReply()
  for (const [key, length] of [
    ['l', 2 ** 20 - keySize],
    ['m', 2 ** 20 - keySize + 1],
  ] as const)
    for (let n = 0; n < 3; n++) await large.ask(key, length)
  expect(large.reads).toEqual(['l', 'l', 'm', 'm', 'm'])
})

test('a reply that makes room for another one while it is asked for is read again', async () => {
  const { api, ask } = await countingReply({ maxSize: 50 })
  expect(`${api.store.id} a`.length).toBeGreaterThan(25)
  await ask('a')
  expect(await Promise.all([ask('a'), ask('b')])).toEqual(['a 3', 'b 2'])
})
