import { expect, test } from 'vitest'
import { createFairQueue, QueueFullError, type Shares } from './fair-queue.ts'

const line = (key: string, max = 3): Shares => [{ key, max }]

/** Enters the queue and logs the admission. */
const enter = (queue: ReturnType<typeof createFairQueue>, shares: Shares, log: string[]) => {
  const ticket = queue.enter(shares)
  const note = () => void log.push(shares[0].key)
  if (ticket.admitted) ticket.admitted.then(note)
  else note()
  return ticket
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

test('a key gets no more slots than its share, even if slots are free', async () => {
  const queue = createFairQueue({ slots: 6 })
  const log: string[] = []
  const tickets = Array.from({ length: 5 }, () => enter(queue, line('a'), log))
  await settle()
  expect(log).toEqual(['a', 'a', 'a'])
  expect(queue.waiting).toBe(2)
  expect(queue.enter(line('b')).admitted).toBeUndefined()
  tickets[0]?.leave()
  await settle()
  expect(log).toHaveLength(4)
})

test('keys take turns, however many entries of one key wait', async () => {
  const queue = createFairQueue({ slots: 1 })
  const log: string[] = []
  let leave = enter(queue, line('first'), log).leave
  for (const key of ['a', 'a', 'a', 'b', 'b', 'c']) {
    const ticket = enter(queue, line(key), log)
    ticket.admitted?.then(() => {
      leave = ticket.leave
    })
  }
  while (log.length < 7) {
    leave()
    await settle()
  }
  expect(log).toEqual(['first', 'a', 'b', 'c', 'a', 'b', 'a'])
})

test('a key that got a slot at once has had its turn', async () => {
  const queue = createFairQueue({ slots: 2 })
  const log: string[] = []
  const [a] = ['a', 'b', 'a', 'b', 'c'].map((key) => enter(queue, line(key, 1), log))
  a?.leave()
  await settle()
  expect(log).toEqual(['a', 'b', 'c'])
})

test('a shared limit holds for all of its keys together', () => {
  const queue = createFairQueue({ slots: 8 })
  const of = (key: string): Shares => [
    { key, max: 4 },
    { key: 'app', max: 6 },
  ]
  const inside = ['a', 'a', 'a', 'a', 'b', 'b', 'b'].filter((key) => queue.enter(of(key)).admitted === undefined)
  expect(inside).toEqual(['a', 'a', 'a', 'a', 'b', 'b'])
  expect(queue.enter(line('c')).admitted).toBeUndefined()
})

test('an entry that leaves while waiting is not admitted and holds no slot', async () => {
  const queue = createFairQueue({ slots: 1 })
  const log: string[] = []
  const first = enter(queue, line('a'), log)
  const second = enter(queue, line('b'), log)
  enter(queue, line('c'), log)
  second.leave()
  expect(queue.waiting).toBe(1)
  first.leave()
  await settle()
  expect(log).toEqual(['a', 'c'])
  expect(queue.waiting).toBe(0)
})

test('a full queue rejects new entries, per key and in total', async () => {
  const queue = createFairQueue({ slots: 1, maxWaiting: 3, maxWaitingInLine: 2 })
  const log: string[] = []
  const first = enter(queue, line('a'), log)
  for (const key of ['a', 'a']) enter(queue, line(key), log)
  expect(() => queue.enter(line('a'))).toThrow(QueueFullError)
  enter(queue, line('b'), log)
  for (const key of ['b', 'c']) expect(() => queue.enter(line(key))).toThrow(QueueFullError)
  expect(queue.waiting).toBe(3)
  first.leave()
  await settle()
  expect(log).toEqual(['a', 'b'])
  expect(queue.enter(line('c')).admitted).toBeInstanceOf(Promise)
})

test('failed work frees its slot, and work starts at once if a slot is free', async () => {
  const queue = createFairQueue({ slots: 1 })
  const log: string[] = []
  const work = (name: string, fail = false) =>
    queue.run(line('a'), async () => {
      log.push(name)
      await settle()
      if (fail) throw new Error(name)
      return name
    })
  const failed = work('first', true)
  const next = work('second')
  expect(log).toEqual(['first'])
  await expect(failed).rejects.toThrow('first')
  expect(await next).toBe('second')
  const later = work('third')
  expect(log).toEqual(['first', 'second', 'third'])
  expect(await later).toBe('third')
})
