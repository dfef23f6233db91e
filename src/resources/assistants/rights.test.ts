import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { type Assistant, connectAssistant, headersOf } from '../../../tests/support/assistants.ts'
import { COMMAND_LINE } from '../accounts/audit.ts'
import { disableApp } from '../auth/disable-app.ts'
import { removeInstallation } from '../auth/remove-installation.ts'
import { suspendStore } from '../operator/manage-stores.ts'
import { PERMISSIONS, type Permission } from '../permissions/catalogue.ts'
import { callOf, collectOperations, type Operation, parameterNames } from './operations.ts'

const argumentsFor = (operation: Operation) =>
  Object.fromEntries(parameterNames(operation).path.map((name) => [name, randomUUID()]))

const callTool = (assistant: Assistant, operation: Operation) =>
  operation.isRead
    ? assistant.call('read', { operation: operation.id, arguments: argumentsFor(operation) })
    : assistant.call('plan', { operation: operation.id, items: [argumentsFor(operation)] })

test('an assistant is refused for want of a permission exactly where HTTP refuses', async () => {
  const api = await startTestApi()
  const operations = [...collectOperations(api.app).values()].filter(({ route }) => route.config.permission)
  expect(operations.length).toBeGreaterThan(50)
  let isFull = false
  for (const permission of new Set(operations.map(({ route }) => route.config.permission as Permission))) {
    // By turns, a token for one installation and a full one.
    isFull = !isFull
    const mine = operations.filter(({ route }) => route.config.permission === permission)
    const rest = PERMISSIONS.filter((other) => other !== permission)
    const without = await headersOf(api, rest, { isFull })
    const assistant = await connectAssistant(api.origin, without.headers)
    for (const operation of mine) {
      const { method, url, body } = callOf(operation, argumentsFor(operation))
      const overHttp = await api.site.send(method, url, method === 'GET' ? undefined : body, without.headers)
      expect(overHttp.status, operation.id).toBe(403)
      await expect(callTool(assistant, operation), operation.id).rejects.toThrow(permission)
    }
    await assistant.close()
  }
})

test('with just one permission, an assistant gets from its operations what HTTP answers', async () => {
  const api = await startTestApi()
  const operations = [...collectOperations(api.app).values()].filter(({ route }) => route.config.permission)
  for (const permission of new Set(operations.map(({ route }) => route.config.permission as Permission))) {
    const alone = await headersOf(api, [permission])
    const assistant = await connectAssistant(api.origin, alone.headers)
    for (const operation of operations.filter(({ route }) => route.config.permission === permission)) {
      const { method, url, body } = callOf(operation, argumentsFor(operation))
      const dry: Record<string, string> = method === 'GET' ? {} : { prefer: 'dry-run' }
      const overHttp = await api.site.send(method, url, method === 'GET' ? undefined : body, {
        ...alone.headers,
        ...dry,
      })
      const { isError, value } = await callTool(assistant, operation)
      const refusal = operation.isRead ? value.error?.refusal : value.store_data?.[0].refused
      expect(refusal?.status ?? (isError ? 400 : 200), operation.id).toBe(overHttp.status < 300 ? 200 : overHttp.status)
      if (refusal) expect(refusal.code, operation.id).toBe(overHttp.body.code)
    }
    await assistant.close()
  }
})

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const ACCEPT = { accept: 'application/json, text/event-stream' }

test('whom HTTP refuses at all, MCP refuses with the same error', async () => {
  const [api, neighbour] = [await startTestApi(), await startTestApi()]
  const { app, headers } = await headersOf(api, PERMISSIONS)
  const full = (await headersOf(api, PERMISSIONS, { isFull: true })).headers
  const foreign = await neighbour.install(PERMISSIONS)
  const callers: Record<string, Record<string, string>> = {
    nobody: {},
    nonsense: { authorization: 'Bearer x.y.z' },
    'another scheme': { authorization: 'Basic dXNlcjpwYXNz' },
    'a full token without an installation': { authorization: full.authorization as string },
    'the installation of another app': { ...full, 'x-app-install-id': app.install_id },
    'an installation on another store': { ...headers, 'x-app-install-id': foreign.install_id },
    'no installation': { ...full, 'x-app-install-id': randomUUID() },
    'an id that is none': { ...full, 'x-app-install-id': 'x' },
  }
  for (const [who, sent] of Object.entries(callers)) {
    const overHttp = await api.anonymous.get('/product', sent)
    const asked = await api.anonymous.post('/mcp', PING, { ...ACCEPT, ...sent })
    expect(overHttp.status, who).toBeGreaterThanOrEqual(400)
    expect([who, asked.status, asked.body.code]).toEqual([who, overHttp.status, overHttp.body.code])
  }
})

test('once its store is suspended, or its app disabled or uninstalled, an assistant applies nothing', async () => {
  const api = await startTestApi()
  const ends: Record<string, (api: TestApi, app: { client_id: string; install_id: string }) => Promise<unknown>> = {
    'a suspended store': ({ db, store }) => suspendStore(db, COMMAND_LINE, store.id),
    'a disabled app': ({ db }, { client_id }) => disableApp(db, client_id),
    'an uninstalled app': ({ db }, { install_id }) => removeInstallation(db, install_id),
  }
  for (const [what, end] of Object.entries(ends)) {
    const own = await startTestApi()
    const { app, headers } = await headersOf(own, PERMISSIONS)
    const assistant = await connectAssistant(own.origin, headers)
    const items = [{ name: 'Late', email: 'late@shop.example' }]
    const { value } = await assistant.call('plan', { operation: 'createCustomer', items })
    expect(value.plan, what).toBeTruthy()
    await end(own, app)
    const caller = own.anonymous.with(headers)
    await expect.poll(async () => (await caller.get('/product')).status).toBeGreaterThanOrEqual(400)
    const overHttp = await caller.get('/product')
    const asked = await caller.post('/mcp', PING, ACCEPT)
    expect([what, asked.status, asked.body.code]).toEqual([what, overHttp.status, overHttp.body.code])
    await expect(assistant.call('apply', { plan: value.plan }), what).rejects.toThrow()
    const rows = await api.db.selectFrom('customer').select('id').where('store_id', '=', own.store.id).execute()
    expect(rows, what).toEqual([])
  }
})

test('an order is found by phone and shipped in at most six calls and 8,000 tokens, over two nodes', async () => {
  const secret = { TOKEN_SECRET: 'the same secret on both nodes, long enough' }
  const nodes = [await startTestApi(secret), await startTestApi({ ...secret, MAX_UPLOAD_MB: '2' })] as const
  const [api] = nodes
  const { headers } = await headersOf(api, PERMISSIONS)
  const all = api.anonymous.with(headers)
  const product = (await all.post('/product', { title: 'Lamp', price: 30, quantity: 9 })).body.data.product
  const carrier = (await all.post('/shipping-carrier', { name: 'Aramex', code: 'aramex' })).body.data.carrier
  await all.post('/order', {
    customer_first_name: 'Amel',
    customer_phone: '+216 20 123 456',
    variants: [{ variant_id: product.default.id, quantity: 1 }],
  })
  const assistants = await Promise.all(nodes.map(({ origin }) => connectAssistant(origin, headers)))
  let size = JSON.stringify((await assistants[0]?.client.listTools())?.tools).length
  let calls = 0
  // biome-ignore lint/suspicious/noExplicitAny: results of every tool.
  const ask = async (name: string, args: object): Promise<any> => {
    const reply = await (assistants[calls++ % 2] as Assistant).call(name, args)
    expect(reply.isError, JSON.stringify(reply.value)).toBe(false)
    size += reply.size + JSON.stringify(args).length
    return reply.value
  }
  const { store_data: found } = await ask('find', { words: '20123456', in: ['orders'] })
  const order = found.orders[0]
  await ask('describe', { operation: 'updateDelivery' })
  const fields = ['ref', 'deliveries.id', 'deliveries.status']
  const { store_data } = await ask('read', { operation: 'getOrder', arguments: { id: order.id }, fields })
  const delivery = store_data.order.deliveries[0]
  const change = { status: 'shipped', tracking_number: 'TN-1', shipping_carrier: carrier.id }
  const { plan } = await ask('plan', { operation: 'updateDelivery', items: [{ deliveryId: delivery.id, ...change }] })
  expect(await ask('apply', { plan })).toMatchObject({ result: '1 applied, 0 refused.' })
  expect(calls).toBeLessThanOrEqual(6)
  expect(size / 4).toBeLessThanOrEqual(8_000)
  expect((await all.get(`/order/${order.id}`)).body.data.order.deliveries[0].tracking_number).toBe('TN-1')
  await Promise.all(assistants.map(({ close }) => close()))
})
