import { expect, test } from 'vitest'
import { startClientFixture } from '../../tests/support/client-fixture.ts'
import { ApiError } from './errors.ts'
import type { StreamedEvent } from './events.ts'

test('a broken stream resumes after the last event, and stops when it is aborted', async () => {
  const { client, proxy } = await startClientFixture()
  const { next_cursor } = await client.events.list({ cursor: 'now' })
  const stop = new AbortController()
  const seen: StreamedEvent[] = []
  const reading = (async () => {
    for await (const event of client.events.stream({ cursor: next_cursor, types: ['customer.*'] }, stop))
      seen.push(event)
  })()
  const first = await client.customers.create({ email: 'a@example.com' })
  await expect.poll(() => seen.length).toBe(1)
  proxy.dropConnections()
  const second = await client.customers.create({ email: 'b@example.com' })
  await expect.poll(() => seen.length).toBe(2)
  expect(seen.map(({ resource }) => resource.id)).toEqual([first.id, second.id])
  const { events } = await client.events.list({ cursor: seen[0]?.cursor ?? '', types: ['customer.*'] })
  expect(events.map(({ resource }) => resource.id)).toEqual([second.id])
  stop.abort(new Error('enough'))
  await expect(reading).rejects.toThrow('enough')
})

test('a snapshot ends with a feed cursor, and a cursor of another store is an error with a code', async () => {
  const { client } = await startClientFixture()
  const customer = await client.customers.create({ email: 'c@example.com' })
  const lines = []
  for await (const line of client.events.snapshot({ types: ['customer'] })) lines.push(line)
  expect(lines).toMatchObject([
    { type: 'customer', data: { id: customer.id } },
    { type: 'end', counts: { customer: 1 }, cursor: expect.any(String) },
  ])
  const other = await startClientFixture()
  const end = lines[1] as unknown as { cursor: string }
  const refused = other.client.events.stream({ cursor: end.cursor }).next()
  await expect(refused).rejects.toMatchObject({ code: 'cursor_expired', status: 410 })
  await expect(refused).rejects.toThrow(ApiError)
})
