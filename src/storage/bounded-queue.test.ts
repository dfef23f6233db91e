import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { fairQueue, QueueFull } from './bounded-queue.ts'

/** Jobs that end when they are told to, and a record of which have started. */
const jobs = (limits: Parameters<typeof fairQueue>[0]) => {
  const inTurn = fairQueue(limits)
  const started: string[] = []
  const ends = new Map<string, { end: () => void; fail: () => void }>()
  const add = (key: string, name: string) =>
    inTurn(key, () => {
      started.push(name)
      return new Promise<string>((resolve, reject) =>
        ends.set(name, { end: () => resolve(name), fail: () => reject(new Error(name)) }),
      )
    })
  return { add, started, ends }
}

test('one key does not take every place, and keys take turns', async () => {
  const { add, started, ends } = jobs({ running: 2, runningPerKey: 1, waiting: 10, waitingPerKey: 5 })
  const done = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => add(name.slice(0, 1), name))
  expect(started).toEqual(['a1', 'b1'])
  for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']) {
    ends.get(name)?.end()
    await turn()
  }
  expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  expect(await Promise.all(done)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'])
})

test('a job that fails leaves its place to the next, and who comes when all is over runs at once', async () => {
  const { add, started, ends } = jobs({ running: 1, runningPerKey: 1, waiting: 10, waitingPerKey: 5 })
  const failed = add('a', 'a1')
  const next = add('a', 'a2')
  ends.get('a1')?.fail()
  await expect(failed).rejects.toThrow('a1')
  ends.get('a2')?.end()
  await next
  const later = add('b', 'b1')
  expect(started).toEqual(['a1', 'a2', 'b1'])
  ends.get('b1')?.end()
  await later
})

test('who would wait behind too many is refused, each key by itself and all together', async () => {
  const { add, started, ends } = jobs({ running: 1, runningPerKey: 1, waiting: 3, waitingPerKey: 2 })
  const done = [add('a', 'a1'), add('a', 'a2'), add('a', 'a3')]
  await expect(add('a', 'a4')).rejects.toThrow(QueueFull)
  done.push(add('b', 'b1'))
  await expect(add('b', 'b2')).rejects.toThrow(QueueFull)
  await expect(add('c', 'c1')).rejects.toThrow(QueueFull)
  for (const name of ['a1', 'b1', 'a2', 'a3']) {
    ends.get(name)?.end()
    await turn()
  }
  await Promise.all(done)
  expect(started).toEqual(['a1', 'b1', 'a2', 'a3'])
})
