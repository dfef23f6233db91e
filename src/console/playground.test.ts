import { execFile } from 'node:child_process'
import { openAsBlob } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { fileFromPath } from '../../client/src/node.ts'
import type { Call } from '../../console/src/pages/playground/call.ts'
import { type CodeLanguage, codeOf, LANGUAGES } from '../../console/src/pages/playground/code.ts'
import { jsonPlaces, lineOf, placeOf } from '../../console/src/pages/playground/json-places.ts'
import {
  findOperations,
  nameOf,
  nameOfRoute,
  type Operation,
  operationsOf,
} from '../../console/src/pages/playground/operations.ts'
import { startTestApi } from '../../tests/support/api.ts'
import { temporaryFolder } from '../../tests/support/server-process.ts'
import { PERMISSIONS } from '../resources/permissions/catalogue.ts'

const start = async () => {
  const api = await startTestApi()
  const operations = operationsOf((await api.site.get('/openapi.json')).body)
  const find = (name: string) => operations.find((one) => nameOf(one) === name) as Operation
  return { api, operations, find }
}

test('every documented operation can be chosen, and a line of the log leads to its operation', async () => {
  const { api, operations, find } = await start()
  const document = (await api.site.get('/openapi.json')).body
  expect(operations).toHaveLength(
    Object.values(document.paths).flatMap((methods) => Object.keys(methods as object)).length,
  )
  const names = new Set(operations.map(nameOf))
  expect(names.size).toBe(operations.length)
  for (const { method, url, config } of api.app.routeTable)
    if (url.startsWith('/api/apps/v1') && method !== 'HEAD' && config.protocol === undefined)
      expect(names, `${method} ${url}`).toContain(nameOfRoute(method, url))

  const found = (search: string) => findOperations(operations, search).flatMap(([, group]) => group.map(({ id }) => id))
  expect(found('refund in full order:')).toEqual(['refundOrder'])
  expect(found('shipping-carrier GET')).toEqual(['listShippingCarriers', 'getShippingCarrier'])
  expect(found('nothing has this name')).toEqual([])

  // What the switch of the page says is no field, and what cannot be tried is known.
  const order = find('PUT /order/{id}')
  expect(order).toMatchObject({ permission: 'order:update', takesToken: true, isWrite: true, canDryRun: true })
  expect(order.parameters.map(({ name }) => name)).toEqual(['id', 'Idempotency-Key', 'If-Match'])
  expect(operations.filter(({ isWrite, canDryRun }) => isWrite && !canDryRun).map(({ id }) => id)).toEqual([
    'getToken',
    'reportPayment',
  ])
  for (const { id, body } of operations)
    if (body?.kind === 'json') expect(jsonPlaces(body.example).fault, id).toBeUndefined()
})

test('a place in a body is found by its path, and so is the first sign that is no JSON', () => {
  const text =
    '{\n  "title": "a \\"b\\"",\n  "variants": [\n    { "price": -1 },\n    { "price": 2e3, "tags": [] }\n  ]\n}'
  const { places = new Map() } = jsonPlaces(text)
  const shown = (path: string) => {
    const { start, end } = placeOf(places, path)
    return [lineOf(text, start), text.slice(start, end)]
  }
  expect(shown('variants.0.price')).toEqual([4, '-1'])
  expect(shown('variants.1.tags')).toEqual([5, '[]'])
  expect(shown('variants.1.sku')[0]).toBe(5)
  expect(shown('missing')).toEqual([1, text])
  for (const right of ['null', '[]', ' {"a":{}} ', '-0.5e+1', '"\\u00e9"']) {
    expect(jsonPlaces(right).fault, right).toBeUndefined()
    JSON.parse(right)
  }
  for (const [wrong, at] of [
    ['', 0],
    ['{"a": 01}', 6],
    ['[1,]', 3],
    ['{"a" 1}', 5],
    ['{"a": "x\ny"}', 6],
    ['{} {}', 3],
    ["{'a': 1}", 1],
    [`${'['.repeat(100_000)}`, 201],
  ] as const) {
    expect(jsonPlaces(wrong).fault, wrong.slice(0, 20)).toBe(at)
    expect(() => JSON.parse(wrong)).toThrow()
  }
})

const run = promisify(execFile)
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor

/** Runs the code in this folder, and returns what it prints. */
const runCode = async (language: CodeLanguage, code: string, folder: string, token: string) => {
  const env = { ...process.env, TOKEN: token }
  if (language === 'curl') return (await run('sh', ['-euc', code], { cwd: folder, env })).stdout
  const printed: unknown[] = []
  const given = {
    createClient,
    fileFromPath: (file: string) => fileFromPath(path.join(folder, file)),
    openAsBlob: (file: string) => openAsBlob(path.join(folder, file)),
    process: { env },
    console: { log: (...values: unknown[]) => printed.push(...values) },
  }
  const imports = [...code.matchAll(/^import \{ (\w+) \} from '(.*)'$/gm)].map(([, name, from]) => `${name} ${from}`)
  const known = [
    'createClient storefront-apps-client',
    'fileFromPath storefront-apps-client/node',
    'openAsBlob node:fs',
  ]
  expect(known).toEqual(expect.arrayContaining(imports))
  const program = new AsyncFunction(...Object.keys(given), code.replace(/^import .*$/gm, ''))
  await program(...Object.values(given))
  return printed.join(' ')
}

test('the same call as curl, client and fetch does the same, and none has the token unless it is asked for', async () => {
  const { api, find } = await start()
  const app = await api.install(PERMISSIONS)
  const token = await api.getToken(app, { install_id: app.install_id })
  const folder = await temporaryFolder()
  const baseUrl = `${api.origin}/api/apps/v1`
  const quoted = `It's "50 %" & {more}`
  const picture = new File([], "l'été (1).gif")
  await writeFile(path.join(folder, picture.name), Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64'))
  const { body: made } = await (await api.as('product:create')).post('/product', { title: "Amina's mug" })
  const { id } = made.data.product

  const calls: [Partial<Call> & { operation: Operation }, RegExp][] = [
    [{ operation: find('GET /product'), values: { 'query.page_size': '1', 'query.title': "Amina's mug" } }, /Amina/],
    [{ operation: find('GET /product/{id}'), values: { 'path.id': id } }, /Amina/],
    [{ operation: find('GET /order/export') }, /customer_email/],
    [{ operation: find('GET /country') }, /Tunisia/],
    [{ operation: find('POST /product'), body: `{\n  "title": ${JSON.stringify(quoted)}\n}`, isDry: true }, /50 %/],
    [
      {
        operation: find('POST /product/{id}/update'),
        values: { 'path.id': id, 'header.If-Match': '*' },
        body: '{"title":"Cup"}',
      },
      /Cup/,
    ],
    [{ operation: find('POST /product'), body: '{"title":"Seen"}', files: { 'images[]': [picture] } }, /image\/gif/],
    [{ operation: find('POST /file'), body: '{"alt":"A; dot"}', files: { file: [picture] }, isDry: true }, /A; dot/],
    [
      {
        operation: find('POST /customer'),
        values: { 'header.Idempotency-Key': 'once' },
        body: '{"email":"once@example.com","country_id":"TN"}',
      },
      /once@example/,
    ],
    [
      {
        operation: find('POST /bulk'),
        values: { 'query.resource': 'customer' },
        body: '{"email":"a@example.com"}\n{"email":"b@example.com"}',
      },
      /customer/,
    ],
    [{ operation: find('DELETE /product/{id}'), values: { 'path.id': id }, isDry: true }, /data|\{\}/],
  ]
  for (const [given, shows] of calls) {
    const call: Call = { values: {}, body: '', files: {}, isDry: false, ...given }
    const check = async (language: CodeLanguage) => {
      const code = codeOf(language, call, { baseUrl, token: undefined })
      expect(code).not.toContain(token)
      expect(await runCode(language, code, folder, token), `${language}\n${code}`).toMatch(shows)
      if (given.operation.takesToken) expect(codeOf(language, call, { baseUrl, token })).toContain(token)
    }
    for (const language of LANGUAGES) await check(language)
  }
  const titles = (await (await api.as('product:view')).get('/product')).body.data.products.map(
    ({ title }: { title: string }) => title,
  )
  expect(titles.sort()).toEqual(['Cup', 'Seen', 'Seen', 'Seen'])
  const all = api.anonymous.with({ authorization: `Bearer ${token}` })
  expect((await all.get('/bulk')).body.data.jobs).toHaveLength(3)
  expect((await all.get('/customer?search=once')).body.data.customers).toHaveLength(1)
})
