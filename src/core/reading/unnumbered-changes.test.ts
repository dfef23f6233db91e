import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'
import { findIdleWebhooks } from '../../resources/webhooks/leases.ts'
import { encodeJson } from '../http/json-reply.ts'
import { noteDistribution } from '../storage/distributed.ts'
import { createRememberedReplies } from './remembered-replies.ts'

const note = (isDistributed: boolean) => noteDistribution(async () => ({ rows: isDistributed ? [{}] : [] }))

afterEach(() => note(isOnCitus))

test('after a shard has moved to a machine with lower numbers, replies and webhooks see new changes', async () => {
  const api = await startTestApi({ WEBHOOKS: 'off' })
  const { db } = api
  const store = api.store.id
  const app = api.as()
  await app.get('/event')
  const hook = await app.post('/webhook', { url: 'https://hook.example/', types: ['customer.*'] })
  expect(hook.status, hook.text).toBe(201)
  await app.get('/event')
  await sql`update webhook set due_at = null, position = (select last from feed where store_id = ${store})
    where store_id = ${store}`.execute(db)
  // The other machine had counted further.
  await sql`update feed set floor_n = 1000000000000, next_n = 1000000000000 where store_id = ${store}`.execute(db)

  const replies = createRememberedReplies({ numberChanges: async () => {} })
  let reads = 0
  const read = () => replies.body(db, store, 'list', () => encodeJson([`${++reads}`]))
  const idle = async () => (await findIdleWebhooks(db, 10)).filter(({ store_id }) => store_id === store)
  await note(true)
  await sql`delete from change where store_id = ${store}`.execute(db)
  for (let n = 0; n < 3; n++) await read()
  expect(reads).toBe(2)
  expect(await idle()).toEqual([])
  await sql`insert into change (store_id, kind, resource_id, op, changed)
    values (${store}, 'customer', ${randomUUID()}, 'u', '{city}')`.execute(db)
  await read()
  expect(reads).toBe(3)
  expect(await idle()).toHaveLength(1)
})
