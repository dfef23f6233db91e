import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import { startTestApi } from '../../tests/support/api.ts'
import { countCompressions } from '../../tests/support/count-compressions.ts'
import { temporaryFolder } from '../../tests/support/server-process.ts'
import { eventKinds } from '../app.ts'
import { API_PREFIX, readConfig } from '../config/config.ts'
import { namedSchemas } from '../core/input/schemas.ts'
import { isDocumented } from '../core/openapi/document.ts'
import { operationIdOf } from '../core/openapi/operation.ts'
import { PERMISSIONS } from '../resources/permissions/catalogue.ts'
import { buildDocument } from './build-document.ts'
import { contractOf } from './contract.ts'
import { DEFAULT_BASE_URL } from './guides.ts'
import { collectExamples, readRecordedExamples } from './recorded-examples.ts'

interface Operation {
  operationId: string
  summary: string
  description: string
  'x-permission'?: string
  'x-extension'?: boolean
  security: object[]
  parameters?: { name?: string; $ref?: string; 'x-extension'?: boolean; schema?: Record<string, unknown> }[]
  requestBody?: { content: Record<string, { schema: TSchema; example?: unknown }> }
  responses: Record<string, { content?: Record<string, { example?: unknown; examples?: Record<string, unknown> }> }>
}

const { baseUrl } = readConfig({})

const fresh = async () => {
  const api = await startTestApi()
  const document = buildDocument(api.app, { baseUrl })
  const routes = api.app.routeTable.filter(isDocumented)
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path)) as Operation[]
  const find = (id: string) => operations.find(({ operationId }) => operationId === id) as Operation
  return { api, document, routes, operations, find }
}

test('the committed contract matches the routes', async () => {
  const { document } = await fresh()
  const committed = await readFile('openapi.json', 'utf8')
  expect(JSON.parse(committed), 'openapi.json is stale: run `npm run openapi`').toEqual(
    JSON.parse(JSON.stringify(contractOf(document))),
  )
})

test('the committed contract has every schema and no example, so that a diff shows only changes of the contract', async () => {
  const { document } = await fresh()
  const committed = await readFile('openapi.json', 'utf8')
  expect(committed).not.toMatch(/"examples?":/)
  expect(JSON.stringify(document)).toMatch(/"example":.*"examples":/)
  const contract: typeof document = JSON.parse(committed)
  expect(Object.keys(contract.components.schemas)).toEqual(Object.keys(document.components.schemas))
  const fields = { type: 'object', properties: { example: { type: 'string', examples: ['a'] } }, examples: [{}] }
  const shown = contractOf({ ...document, components: { ...document.components, schemas: { Shown: fields } } })
  expect(shown.components.schemas).toEqual({ Shown: { type: 'object', properties: { example: { type: 'string' } } } })
})

test('it has every endpoint, with its permission and its error responses', async () => {
  const { routes, operations, find } = await fresh()
  expect(operations).toHaveLength(routes.length)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(routes.length)
  for (const route of routes) {
    const id = operationIdOf(route)
    const operation = find(id)
    const { permission, access, extension } = route.config
    expect(operation.summary, id).toMatch(/^[A-Z].{5,}/)
    expect(operation.description, id).toMatch(/\w/)
    expect(operation['x-permission'], id).toBe(permission)
    expect(operation['x-extension'], id).toBe(extension)
    const statuses = Object.keys(operation.responses)
    expect(statuses, id).toEqual(expect.arrayContaining(['400', '500', '503']))
    if (access !== 'open') expect(statuses, id).toEqual(expect.arrayContaining(['401', '403']))
    expect(statuses.includes('404'), id).toBe(route.url.includes('/:'))
    if (permission) {
      expect(operation.security, id).toEqual([{ bearer: [] }])
      expect(operation.parameters, id).toContainEqual({ $ref: '#/components/parameters/InstallId' })
      const refused = operation.responses['403']?.content?.['application/json']?.examples
      expect(JSON.stringify(refused), id).toContain(permission)
    }
  }
})

test('a POST that creates something answers 201, one that starts a job 202, every other write 200', async () => {
  const { routes, find } = await fresh()
  const changes = [
    'getToken',
    'updateProduct',
    'deleteFile',
    'deleteUnusedFiles',
    'publishLandingPage',
    'unpublishLandingPage',
    'updateStock',
    'updateParcelResults',
    'updateParcelCash',
    'switchPlan',
    'payInvoice',
    'reportPayment',
    'confirmOrder',
    'claimOrder',
    'mergeOrders',
  ]
  const ofWebhooks = /^(rotate|pause|resume|test|replay|switch|pay|report)Webhook$/
  for (const route of routes.filter(({ method }) => method !== 'GET')) {
    const id = operationIdOf(route)
    const success = Object.keys(find(id).responses).filter((status) => status.startsWith('2'))
    const creates = route.method === 'POST' && !changes.includes(id) && !ofWebhooks.test(id)
    expect(success, id).toEqual([id === 'createBulk' ? '202' : creates ? '201' : '200'])
  }
})

test('operation ids are a verb and a noun, so that generated clients read well', async () => {
  const { operations } = await fresh()
  for (const { operationId } of operations)
    expect(operationId).toMatch(
      /^(list|get|create|update|delete|upload|download|unlink|publish|unpublish|split|return|refund|export|rotate|pause|resume|test|replay|switch|pay|report|confirm|claim|merge)[A-Z][A-Za-z]+$/,
    )
})

test('every event type is a webhook of the document, with the body that receivers get', async () => {
  const { document } = await fresh()
  expect(Object.keys(document.webhooks)).toEqual(eventKinds.types)
  const { parameters, schemas } = document.components
  for (const [type, { post }] of Object.entries(document.webhooks) as [string, { post: Operation }][]) {
    const body = post.requestBody?.content['application/json']?.schema as unknown as { allOf: object[] }
    expect(body.allOf[1]).toMatchObject({ properties: { type: { const: type } } })
    const names = [...JSON.stringify(post).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)]
    expect(names.length).toBeGreaterThan(4)
    for (const [, part, name = ''] of names) expect(part === 'schemas' ? schemas : parameters).toHaveProperty(name)
  }
})

test('parameters have their defaults and limits, and both authentication schemes are present', async () => {
  const { document, find } = await fresh()
  const named = (name: string) => find('listProducts').parameters?.find((parameter) => parameter.name === name)
  expect(named('page_size')?.schema).toEqual({ type: 'integer', minimum: 1, maximum: 200, default: 20 })
  expect(named('order_direction')?.schema).toMatchObject({ enum: ['ASC', 'DESC'], default: 'DESC' })
  expect(named('cursor')?.['x-extension']).toBe(true)
  expect(named('page')?.['x-extension']).toBeUndefined()
  expect(Object.keys(document.components.securitySchemes)).toEqual(['bearer', 'basic'])
  expect(find('getToken').security).toEqual([{}, { basic: [] }])
  expect(find('listPermissions').security).toEqual([])
  expect(document.components.schemas.Pagination).toMatchObject({ properties: { next_cursor: { 'x-extension': true } } })
  expect(find('updateProduct').responses).toHaveProperty('412')
  const { InstallId, IdempotencyKey } = document.components.parameters
  expect(InstallId).not.toHaveProperty('x-extension')
  expect(IdempotencyKey).toHaveProperty('x-extension', true)
})

test('forms name their file parts, and the export is a file', async () => {
  const { find } = await fresh()
  const product = find('createProduct').requestBody?.content
  expect(Object.keys(product ?? {})).toEqual(['multipart/form-data', 'application/json'])
  expect(product?.['application/json']).toHaveProperty('x-extension', true)
  expect(product?.['multipart/form-data']?.schema).toMatchObject({
    required: ['metadata'],
    properties: { 'images[]': { type: 'array' }, 'files[]': { type: 'array' } },
  })
  const file = find('uploadFile').requestBody?.content
  expect(Object.keys(file ?? {})).toEqual(['multipart/form-data'])
  expect(file?.['multipart/form-data']?.schema).toMatchObject({ required: ['file'], properties: { alt: {}, file: {} } })
  expect(Object.keys(find('exportOrders').responses['200']?.content ?? {})).toEqual(['text/csv'])
})

test('every operation has examples that match its schemas', async () => {
  const { routes, find } = await fresh()
  const examples = collectExamples(routes, DEFAULT_BASE_URL)
  const { replies } = readRecordedExamples(DEFAULT_BASE_URL)
  for (const route of routes) {
    const id = operationIdOf(route)
    const body = route.schema.body as TSchema | undefined
    if (body && !route.config.fileParts?.file) {
      expect(examples.body(id), `${id} has no example of its body`).toBeDefined()
      expect(Compile(body).Errors(examples.body(id)), id).toEqual([])
    }
    const documented = Object.entries((route.schema.response ?? {}) as Record<string, TSchema>)
    const success = documented.find(([status]) => /^20[012]$/.test(status)) as [string, TSchema]
    if (route.config.produces) continue
    const reply = replies[id] ?? examples.reply(route)
    if (reply !== undefined) expect(Compile(namedSchemas(), success[1]).Errors(reply), id).toEqual([])
    const media = find(id).responses[success[0]]?.content?.['application/json']
    // A product is shown field by field; its kind of example is mistaken for a schema by linters.
    const byField = JSON.stringify(success[1]).match(/"(Product|LandingPage|Review)"/)
    expect(media?.example !== undefined, `${id} has no example of its reply`).toBe(!byField)
  }
})

test('it contains nothing secret and nothing specific to one server', async () => {
  const { document } = await fresh()
  const text = JSON.stringify(document, null, 2)
  expect(text.match(/sk_[\w-]+/g)?.filter((secret) => secret !== 'sk_this-is-not-a-secret')).toEqual([])
  expect(text.match(/signature=(?!this-is-not-a-signature)[\w-]{20,}/g)).toBeNull()
  expect(text.match(/"eyJ(?!hbGciOiJIUzI1NiJ9\.this-is-not-a-token)[\w.-]{40,}"/g)).toBeNull()
  expect(text).not.toMatch(/127\.0\.0\.1:(?!3000)/)
})

test('a server serves it with its own URL', async () => {
  const { api, document } = await fresh()
  const reply = await api.site.get('/openapi.json')
  expect(reply.status).toBe(200)
  expect(reply.body.servers).toEqual([{ url: `${api.origin}${API_PREFIX}`, description: 'This server' }])
  const moved = JSON.stringify(document.paths).replaceAll(new URL(DEFAULT_BASE_URL).origin, api.origin)
  expect(reply.body.paths).toEqual(JSON.parse(moved))
  const again = await api.site.get('/openapi.json', { 'if-none-match': reply.headers.get('etag') as string })
  expect(again.status).toBe(304)
})

test('it is compressed once, not per request', async () => {
  const { origin } = await startTestApi()
  /** Does not use fetch, which decompresses the body. */
  const ask = async (url: string, encoding: string) => {
    const [reply] = (await once(get(origin + url, { headers: { 'accept-encoding': encoding } }), 'response')) as [
      IncomingMessage,
    ]
    return { headers: reply.headers, bytes: await buffer(reply) }
  }
  const plain = await ask('/openapi.json', 'identity')
  expect(plain.headers['content-encoding']).toBeUndefined()
  for (const url of ['/openapi.json', '/docs/openapi.json'])
    for (const encoding of ['gzip', 'br']) await ask(url, encoding)
  const compressions = await countCompressions(async () => {
    for (const url of ['/openapi.json', '/docs/openapi.json', '/openapi.json'])
      for (const encoding of ['gzip', 'br'])
        expect((await ask(url, encoding)).headers['content-encoding']).toBe(encoding)
  })
  expect(compressions).toBe(0)
  const zipped = await ask('/openapi.json', 'gzip')
  expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true)
  expect(brotliDecompressSync((await ask('/openapi.json', 'br')).bytes).equals(plain.bytes)).toBe(true)
  expect(zipped.headers).toMatchObject({ etag: plain.headers.etag, vary: 'accept-encoding' })
  expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / 4)
})

test('the commands in the guides work as written', async () => {
  const api = await startTestApi()
  const app = await api.install(PERMISSIONS)
  const folder = new URL('./guides/', import.meta.url)
  const texts = await Promise.all((await readdir(folder)).sort().map((name) => readFile(new URL(name, folder), 'utf8')))
  const scripts = texts.flatMap((text) => [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, code]) => code as string))
  expect(scripts.length).toBeGreaterThanOrEqual(12)
  const commands = ['curl() { command curl --fail-with-body "$@"; echo; }', ...scripts].join('\n')
  const { stdout } = await promisify(execFile)('sh', ['-euc', commands.replaceAll(baseUrl, api.origin + API_PREFIX)], {
    cwd: await temporaryFolder(),
    env: {
      ...process.env,
      TOKEN: await api.getToken(app, { install_id: app.install_id }),
      CLIENT_ID: app.client_id,
      CLIENT_SECRET: app.client_secret,
      INSTALL_ID: app.install_id,
    },
  })
  expect(stdout).toContain('"ttl":3600')
  expect(stdout).toContain('"alt":"A dot"')
  expect(stdout).toContain('"title":"Tea towel"')
  const caller = await api.as('order:view', 'product:view')
  const oldestFirst = 'order_by=date&order_direction=asc'
  expect((await caller.get(`/order?${oldestFirst}`)).body.data.orders).toMatchObject([
    { customer_email: 'amina@example.com' },
    { total: 76.5, variants: [{ sku: 'MUG' }, { sku: 'SHIRT-M', options: { Size: 'M' } }] },
    {
      customer_email: 'leila@example.com',
      status: 'paid',
      total: 44.5,
      meta_data: { confirmed_by: 'phone' },
      deliveries: [{ status: 'delivered' }],
      returns: [{ return_variants: [{ quantity: 1, restock: true }] }],
      refunds: [{ status: 'refunded', amount: 12.5 }],
    },
    { is_cancelled: true, quantity: 2 },
  ])
  const find = async (search: string) => (await caller.get(`/product?search=${search}`)).body.data.products[0]
  expect((await find('towel')).image.mime_type).toBe('image/gif')
  // Of 40, one and three were sold, one came back, and the two of the cancelled order never left.
  expect(await find('mug')).toMatchObject({ options: [], variants: [], default: { sku: 'MUG', quantity: 37 } })
})

test('each guide has its own number, from 01 without gaps', async () => {
  const names = (await readdir(new URL('./guides/', import.meta.url))).sort()
  const numbers = names.map((_, n) => String(n + 1).padStart(2, '0'))
  expect(names.map((name) => name.split('-')[0])).toEqual(numbers)
})
