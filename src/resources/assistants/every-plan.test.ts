import { readdir } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { fingerprint } from '../../../tests/resilience/fingerprint.ts'
import { createFullStore, type FullStore, writesFor } from '../../../tests/resilience/full-store.ts'
import { startTestApi } from '../../../tests/support/api.ts'
import { type Assistant, connectAssistant, headersOf } from '../../../tests/support/assistants.ts'
import { lazyCaller } from '../../../tests/support/caller.ts'
import { addCleanup } from '../../../tests/support/cleanup.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import type { Sample } from '../../../tests/support/samples.ts'
import { API_PREFIX } from '../../config/config.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'
import { collectOperations, type Operation } from './operations.ts'

let store: FullStore
let assistant: Assistant
let operations: Map<string, Operation>
beforeAll(async () => {
  // A server that delivers events would change webhooks at any time.
  let headers: Record<string, string> = {}
  store = await createFullStore(async () => {
    const api = await startTestApi({ WEBHOOKS: 'off' })
    ;({ headers } = await headersOf(api, PERMISSIONS))
    // Webhooks and bulk jobs are those of the installation that has made them.
    const caller = lazyCaller(Promise.resolve(api.anonymous.with(headers)))
    return { ...api, as: () => caller }
  })
  assistant = await connectAssistant(store.api.origin, headers)
  addCleanup(assistant.close)
  operations = new Map(
    [...collectOperations(store.api.app).values()].map((operation) => {
      const { method, url } = operation.route
      return [`${method} ${url.slice(API_PREFIX.length)}`, operation]
    }),
  )
})

/** Every row, file and event, but the plans themselves and what counts calls. */
const state = async () => [
  await fingerprint(store.api.db, ['assistant_plan']),
  (await readdir(store.api.config.DATA_DIR, { recursive: true })).sort(),
  (await store.all.get('/event?cursor=now')).body.data.next_cursor,
]

const planOf = ({ route, params, querystring, body }: Sample) => {
  const { id } = operations.get(route) as Operation
  const { dry_run, ...query } = querystring ?? {}
  return assistant.call('plan', { operation: id, items: [{ ...query, ...body, ...params }] })
}

/** Those that an assistant can plan. */
const planned = () => writesFor(store).filter(({ route }) => operations.has(route))

test('a plan of every write says what it would do, and leaves no row, file, event or remembered reply', async () => {
  const samples = planned()
  const tried = new Set(samples.map(({ route }) => route))
  const writes = [...operations].filter(([, { isRead }]) => !isRead)
  expect(writes.map(([route]) => route).filter((route) => !tried.has(route))).toEqual([])
  const before = await state()
  for (const sample of samples) {
    const { value, isError } = await planOf(sample)
    expect(isError, `${sample.route}: ${JSON.stringify(value)}`).toBe(false)
    expect([value.would_change, value.refused], `${sample.route}: ${JSON.stringify(value)}`).toEqual(
      sample.refused ? [0, 1] : [1, 0],
    )
    const [{ changes, creates, deletes, result, refused, warnings }] = value.store_data
    expect(changes ?? creates ?? deletes ?? result ?? refused, sample.route).toBeTypeOf('object')
    if (creates) expect(operations.get(sample.route)?.id, sample.route).toMatch(/^(create|split|install)/)
    if (result) expect(warnings.join(), sample.route).toContain('is not noticed')
  }
  await eventually(async () => expect(await state()).toEqual(before))
})
