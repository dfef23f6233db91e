import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonSchema } from '../../src/core/input/validation-messages.ts'
import { buildDocument } from '../../src/docs/build-document.ts'
import { startTestApi } from '../support/api.ts'
import type { Reply } from '../support/caller.ts'
import { form, picture } from '../support/uploads.ts'
import { anything, arbitraryFor, type Ids } from './arbitrary.ts'
import { send as sendSample } from './foreign-id-sweep.ts'
import { createFullStore, type FullStore, idsOf, samplesFor } from './full-store.ts'
import { recordResult } from './results-table.ts'
import { BILLING_SECRET, sendElsewhere } from './samples-elsewhere.ts'

/** How many requests are generated, about; `npm run proof -- --fuzz` asks for more. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 8_800)
/** Several rounds, so that each operation meets the data that others created. */
const ROUNDS = 7
/** With arbitrary bytes as the body, to each operation. */
const BYTES_RUNS = 35

interface Parameter {
  name: string
  in: 'path' | 'query'
  schema: JsonSchema
}

interface Operation {
  operationId: string
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
}

interface Draft {
  path: string
  query: Record<string, unknown>
  body: unknown
  asForm: boolean
  key: string | undefined
}

/** A server to which payments are reported. */
const startPaid = () => startTestApi({ BILLING_SECRET })

/** Whoever gives up permissions can try nothing more: it has tests of its own. */
const LEFT_OUT = ['updateOwnInstallation']

const operationsOf = ({ api }: FullStore) => {
  const document = buildDocument(api.app, { baseUrl: `${api.origin}/api/apps/v1` })
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>)
      .filter(([, { operationId }]) => !LEFT_OUT.includes(operationId))
      .map(([method, operation]) => ({ path, method, operation })),
  )
}

/** The table that a field name refers to; `id` refers to the first part of the path. */
const KINDS: Record<string, string> = {
  category: 'category',
  deliveryId: 'delivery',
  fileable_id: 'product',
  image: 'file',
  image_ids: 'file',
  order: 'orders',
  order_variant_id: 'order_line',
  return_id: 'order_return',
}

const idsFor =
  (own: Record<string, string>, path: string, others: readonly string[]): Ids =>
  (name) => {
    const subject = (path.split('/')[1] ?? '').replace('-', '_')
    const kind = name === 'id' ? (KINDS[subject] ?? subject) : (KINDS[name] ?? name.replace(/_id$/, ''))
    const any = fc.oneof(fc.constantFrom(...Object.values(own)), fc.constantFrom(...others), fc.uuid())
    return own[kind] ? fc.oneof({ weight: 6, arbitrary: fc.constant(own[kind]) }, any) : any
  }

/** A value as part of a URL. Values other than text are sent as JSON. */
const inUrl = (value: unknown) =>
  encodeURIComponent((typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed())

const inPath = (value: unknown) => inUrl(value).replace(/^\.+$/, 'dot') || 'none'

const bodyShape = ({ requestBody }: Operation) => {
  const content = requestBody?.content ?? {}
  return content['application/json']?.schema ?? content['multipart/form-data']?.schema
}

/** Parameters whose values are not those of any schema. */
const MADE_UP = ['cursor', 'fields']

/** Requests to one operation as documented, or with something broken. */
const drafts = (path: string, operation: Operation, ids: Ids, broken: boolean): fc.Arbitrary<Draft> => {
  const parameters = (operation.parameters ?? []).filter((parameter): parameter is Parameter => 'in' in parameter)
  const values = (place: 'path' | 'query') =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place && (broken || !MADE_UP.includes(parameter.name)))
        // A long poll takes its time: one second is enough here.
        .map(({ name, schema }) => [
          name,
          arbitraryFor(name === 'wait' ? { ...schema, maximum: 1 } : schema, ids, broken, name),
        ]),
    )
  const shape = bodyShape(operation)
  const content = operation.requestBody?.content ?? {}
  const forms = 'multipart/form-data' in content
  return fc.record({
    path: fc
      .record(values('path'))
      .map((given) => path.replace(/\{(\w+)\}/g, (_, name) => inPath((given as Record<string, unknown>)[name]))),
    query: fc.record(values('query'), { requiredKeys: [] }) as fc.Arbitrary<Record<string, unknown>>,
    body: shape ? arbitraryFor(shape, ids, broken) : fc.constant(undefined),
    asForm: forms && 'application/json' in content ? fc.boolean() : fc.constant(forms),
    key: fc.option(fc.constantFrom(randomUUID(), randomUUID(), 'x'.repeat(300)), { nil: undefined, freq: 6 }),
  })
}

const queryOf = (query: Record<string, unknown>) => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item) => `${name}=${inUrl(item)}`),
  )
  return pairs.join('&').slice(0, 8_000).replace(/%.?$/, '')
}

const asForm = async (body: unknown, plain: boolean) => {
  const file = { name: 'a.png', bytes: await picture() }
  if (!plain) return form({ metadata: JSON.stringify(body) ?? '', 'images[]': file })
  const fields = Object.entries((body ?? {}) as object)
    .filter(([name]) => name !== 'file')
    .map(([name, value]) => [name, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')])
  return form({ ...Object.fromEntries(fields), file })
}

const send = async ({ all }: FullStore, method: string, draft: Draft) => {
  const query = queryOf(draft.query)
  const plain = draft.path === '/file'
  return all.send(
    method.toUpperCase(),
    draft.path + (query && `?${query}`),
    draft.asForm ? await asForm(draft.body, plain) : draft.body,
    draft.key === undefined ? {} : { 'idempotency-key': draft.key },
  )
}

const expectErrorBody = ({ status, body, text }: Reply) => {
  expect(status, text.slice(0, 500)).toBeLessThan(500)
  if (status < 400 || !body) return
  expect(body.message.length).toBeGreaterThan(10)
  if (status === 422) expect(Object.keys(body.errors).length).toBeGreaterThan(0)
}

/** Ids of a store that no request names: a reply that has one shows what it must not. */
const expectNothingOf = (hidden: readonly string[], { text }: Reply) =>
  expect(
    hidden.filter((id) => text.includes(id)),
    'ids of another store',
  ).toEqual([])

/** Sends a request that succeeds to each operation, deletions last, in a store of their own. Returns which did. */
const sendSamples = async (operations: ReturnType<typeof operationsOf>) => {
  const store = await createFullStore(startPaid)
  const named = new Map(
    operations.map(({ path, method, operation }) => [
      `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      operation.operationId,
    ]),
  )
  const succeeded = new Set<string>()
  for (const [name, { status }] of Object.entries(await sendElsewhere(store))) if (status < 300) succeeded.add(name)
  for (const sample of samplesFor(store)) {
    const name = named.get(sample.route)
    if (name && (await sendSample(store, sample)).status < 300) succeeded.add(name)
  }
  return succeeded
}

test('valid and invalid requests generated from the OpenAPI document get documented replies, never a 500', async () => {
  const store = await createFullStore(startPaid)
  const operations = operationsOf(store)
  expect(operations.length).toBeGreaterThan(35)
  const named = Object.values(await idsOf(await createFullStore(startPaid)))
  // Plans are those of all stores, and the samples name one of them by the id of its store.
  const { store: _store, ...rows } = await idsOf(await createFullStore(startPaid))
  const hidden = Object.values(rows)
  const sampled = await sendSamples(operations)
  const generated = new Set<string>()
  let tried = 0
  let done = 0
  // A whole number: with a fraction, fast-check would never finish.
  const runs = Math.ceil(REQUESTS / operations.length / 2 / ROUNDS)
  const tryOut = async ({ path, method, operation }: (typeof operations)[number], ids: Ids, broken: boolean) => {
    const property = fc.asyncProperty(drafts(path, operation, ids, broken), async (draft) => {
      const reply = await send(store, method, draft)
      expectErrorBody(reply)
      expectNothingOf(hidden, reply)
      tried++
      if (reply.status < 300) {
        done++
        generated.add(operation.operationId)
      }
    })
    await fc.assert(property, { numRuns: runs, endOnFailure: true }).catch((error) => {
      throw new Error(`${method.toUpperCase()} ${path}: ${(error as Error).message.slice(0, 3_000)}`, { cause: error })
    })
  }
  for (let round = 0; round < ROUNDS; round++) {
    const own = await idsOf(store)
    for (const operation of operations) {
      const ids = idsFor(own, operation.path, named)
      for (const broken of [false, true]) await tryOut(operation, ids, broken)
    }
  }
  expect(done / tried, 'share of requests that succeeded').toBeGreaterThan(0.15)
  const names = operations.map(({ operation }) => operation.operationId)
  const isSeen = (name: string) => generated.has(name) || sampled.has(name)
  recordResult({ case: 'fuzz: requests generated from the document', tried, lost: 0, note: `${done} succeeded` })
  if (process.env.FUZZ_RESULT)
    await writeFile(
      process.env.FUZZ_RESULT,
      JSON.stringify({
        requests: tried,
        succeeded: done,
        operations: names.length,
        seen: names.filter(isSeen).length,
        seenGenerated: generated.size,
      }),
    )
  expect(
    names.filter((name) => !isSeen(name)),
    'operations that never succeeded',
  ).toEqual([])
})

test('arbitrary bodies to any endpoint never cause a server error', async () => {
  const store = await createFullStore(startPaid)
  let tried = 0
  for (const { path, method, operation } of operationsOf(store)) {
    if (!operation.requestBody) continue
    const types = fc.constantFrom('application/json', 'multipart/form-data; boundary=x', 'text/plain', '')
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      anything.map((value) => Buffer.from(JSON.stringify(value))),
      fc
        .string({ unit: 'binary' })
        .map((text) => Buffer.from(`--x\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n${text}\r\n--x--`)),
    )
    const property = fc.asyncProperty(types, bytes, async (type, body) => {
      const reply = await store.all.send(method.toUpperCase(), path.replace(/\{\w+\}/g, randomUUID()), body, {
        'content-type': type,
      })
      expectErrorBody(reply)
      tried++
    })
    await fc.assert(property, { numRuns: BYTES_RUNS, endOnFailure: true })
  }
  recordResult({ case: 'fuzz: arbitrary bytes as the body', tried, lost: 0 })
})
