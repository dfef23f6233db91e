import { once } from 'node:events'
import { BlockList, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { addCleanup } from '../../../tests/support/cleanup.ts'
import { startNameServer } from '../../../tests/support/name-server.ts'
import { startReceiver } from '../../../tests/support/receiver.ts'
import { kindOfAddress } from './addresses.ts'
import { createEgress, type EgressOptions } from './egress.ts'
import { nextAttempt, RETRY_RULES } from './retries.ts'

const networks = (...entries: string[]) => {
  const list = new BlockList()
  for (const entry of entries) list.addAddress(entry, entry.includes(':') ? 'ipv6' : 'ipv4')
  return list
}

const egressWith = (options: Partial<EgressOptions> = {}) => {
  const egress = createEgress({ opened: networks('127.0.0.1'), timeoutMs: 300, ...options })
  addCleanup(async () => egress.close())
  return (url: string, signal?: AbortSignal) => egress.post(url, { 'webhook-id': 'evt_1' }, Buffer.from('{}'), signal)
}

test('only addresses of the internet are public, in every form', () => {
  const refused =
    '0.0.0.0 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 ' +
    '192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1 ' +
    '255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:8.8.8.8 64:ff9b::7f00:1 64:ff9b:1::1 ' +
    '100::1 2001::1 2001:db8::1 2002:7f00:1::1 3fff::1 fc00::1 fd12::1 fe80::1 fe80::1%lo ff02::1 5f00::1 nonsense'
  for (const address of refused.split(' ')) expect(kindOfAddress(address, undefined), address).toBe('refused')
  for (const address of '1.1.1.1 8.8.8.8 172.32.0.1 192.169.0.1 2606:4700::1111 2a00:1450::1'.split(' '))
    expect(kindOfAddress(address, undefined), address).toBe('public')
  const opened = networks('127.0.0.1', 'fd12::1')
  for (const address of ['127.0.0.1', 'fd12::1', '::ffff:127.0.0.1'])
    expect(kindOfAddress(address, opened)).toBe('opened')
  expect(kindOfAddress('127.0.0.2', opened)).toBe('refused')
})

test('a host name that changes its address never leads to a private one', async () => {
  const receiver = await startReceiver()
  const internal = await startReceiver(undefined, '127.0.0.2')
  let turn = 0
  const { asked, resolve } = await startNameServer((name) => {
    if (name === 'both.example') return ['127.0.0.1', '127.0.0.2']
    if (name === 'metadata.example') return ['169.254.169.254']
    return [turn++ % 2 === 0 ? '127.0.0.1' : '127.0.0.2']
  })
  const post = egressWith({ resolve })
  // The port is that of the internal service, which listens on the other address.
  for (let n = 0; n < 10; n++) {
    const { status, fault } = await post(`http://rebind.example:${internal.port}/`)
    expect(status).toBeNull()
    expect(fault).toBe(n % 2 === 0 ? 'connect' : 'address')
  }
  expect(asked.filter((name) => name === 'rebind.example').length).toBeGreaterThanOrEqual(10)
  expect((await post(`http://both.example:${internal.port}/`)).fault).toBe('address')
  expect((await post('https://metadata.example/')).fault).toBe('address')
  expect((await post('https://nowhere.example.invalid./')).status).toBeNull()
  turn = 0
  expect(await post(`http://rebind.example:${receiver.port}/`)).toMatchObject({ status: 204, fault: null })
  // Without a name, nobody is asked: the address in the URL is checked.
  for (const host of ['127.0.0.2', '127.2', '0x7f.2', '2130706434', '[::ffff:127.0.0.2]', '[::ffff:7f00:2]'])
    expect((await post(`http://${host}:${internal.port}/`)).fault, host).toBe('address')
  expect(internal.received).toEqual([])
})

test('an event for a name that turns to a private address waits until it is public again', async () => {
  let address = '127.0.0.1'
  const { resolve } = await startNameServer(() => [address])
  const retries = { ...RETRY_RULES, delaysMs: [30], maxProbeMs: 30 }
  const options = { pollMs: 20, idleMs: 60, retries, resolve }
  const api = await startTestApi({ WEBHOOK_PRIVATE: '127.0.0.1' }, undefined, options)
  const receiver = await startReceiver()
  const internal = await startReceiver(undefined, '127.0.0.2')
  const all = await api.as()
  const url = `http://hook.example:${receiver.port}/`
  const { id } = (await all.post('/webhook', { url, types: ['customer.*'] })).body.data.webhook
  const waiting = async () => (await all.get(`/webhook/${id}/delivery?state=waiting`)).body.data.deliveries
  for (const [n, turned] of ['127.0.0.2', '169.254.169.254', '10.0.0.1'].entries()) {
    address = turned
    receiver.server.closeAllConnections()
    await all.post('/customer', { email: `turned-${n}@shop.example` })
    await expect.poll(async () => (await waiting())[0]?.error, { message: turned }).toBe('address')
    expect(receiver.received).toHaveLength(n)
    address = '127.0.0.1'
    await expect.poll(() => receiver.received.length).toBe(n + 1)
    await expect.poll(waiting).toEqual([])
  }
  expect(internal.received).toEqual([])
})

test('plain http and system ports are allowed only in networks that the operator has opened', async () => {
  const { resolve } = await startNameServer(() => ['8.8.8.8'])
  const post = egressWith({ resolve })
  for (const url of ['http://public.example/', 'https://public.example:22/', 'http://8.8.8.8:8080/'])
    expect((await post(url)).fault, url).toBe('address')
})

test('redirects are not followed, and replies without end are cut', async () => {
  const target = await startReceiver()
  let sent = 0
  const receiver = await startReceiver((received, reply) => {
    if (received.path === '/redirect') return reply.writeHead(307, { location: target.url }).end()
    const more = () => {
      while (!reply.destroyed && reply.write(Buffer.alloc(65_536))) sent += 65_536
    }
    reply.on('drain', more)
    reply.writeHead(200)
    more()
  })
  const post = egressWith()
  expect(await post(`http://127.0.0.1:${receiver.port}/redirect`)).toMatchObject({ status: 307, fault: 'redirect' })
  expect(target.received).toEqual([])
  expect(await post(`http://127.0.0.1:${receiver.port}/endless`)).toMatchObject({ status: 200, fault: null })
  await expect.poll(() => receiver.received[1] && sent < 50_000_000).toBe(true)
  const before = sent
  await expect.poll(() => sent === before || sent).toBe(true)
})

test('a receiver that hangs, hangs up or speaks another protocol fails within the timeout', async () => {
  const hanging = await startReceiver(() => {})
  const post = egressWith()
  expect(await post(hanging.url)).toMatchObject({ status: null, fault: 'timeout' })
  const closing = await startReceiver((_, reply) => reply.destroy())
  expect(await post(closing.url)).toMatchObject({ status: null, fault: 'closed' })
  expect(await post(closing.url.replace('http:', 'https:'))).toMatchObject({ status: null, fault: 'tls' })
  const garbage = createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')).listen(0, '127.0.0.1')
  await once(garbage, 'listening')
  addCleanup(async () => void garbage.close())
  const { port } = garbage.address() as { port: number }
  expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ status: null, fault: 'closed' })
  const stop = new AbortController()
  const aborted = post(hanging.url, stop.signal)
  stop.abort(new Error('stopped'))
  await expect(aborted).rejects.toThrow('stopped')
})

test('a connection is used again, and one that the receiver has closed meanwhile is replaced', async () => {
  const receiver = await startReceiver()
  const sockets = new Set()
  receiver.server.on('connection', (socket) => sockets.add(socket))
  const post = egressWith()
  for (let n = 0; n < 3; n++) expect((await post(receiver.url)).fault).toBeNull()
  expect(sockets.size).toBe(1)
  receiver.server.closeAllConnections()
  expect((await post(receiver.url)).fault).toBeNull()
  expect(receiver.received).toHaveLength(4)
})

test('Retry-After is a number of seconds or a date, and counts up to 24 hours', async () => {
  const post = egressWith()
  let given = ''
  const receiver = await startReceiver((_, reply) => reply.writeHead(503, { 'retry-after': given }).end())
  const asked = async (header: string) => {
    given = header
    return (await post(receiver.url)).retryAfter
  }
  expect(await asked('7200')).toBe(7_200)
  expect(await asked('999999')).toBe(86_400)
  const inTwoHours = await asked(new Date(Date.now() + 7_200_000).toUTCString())
  expect(inTwoHours).toBeGreaterThan(7_000)
  expect(inTwoHours).toBeLessThanOrEqual(7_200)
  expect(await asked(new Date(Date.now() + 90 * 3_600_000).toUTCString())).toBe(86_400)
  for (const header of ['-5', '0', 'soon', new Date(0).toUTCString()]) expect(await asked(header)).toBeUndefined()
})

test('an event is attempted fifteen times in 72 hours, at growing intervals', () => {
  const first = 1_000_000
  for (const random of [() => 0, () => 0.5, () => 0.999]) {
    const times = [first]
    for (;;) {
      const next = nextAttempt(RETRY_RULES, { attempts: times.length, firstAt: first }, times.at(-1) as number, random)
      if (next === undefined) break
      times.push(next)
    }
    expect(times.at(-1)).toBe(first + 72 * 3_600_000)
    expect(times.length).toBeGreaterThanOrEqual(14)
    expect(times.length).toBeLessThanOrEqual(17)
    expect((times[1] as number) - first).toBeGreaterThanOrEqual(4_000)
    expect((times[1] as number) - first).toBeLessThanOrEqual(6_000)
  }
  const asked = { attempts: 1, firstAt: first, retryAfter: 7_200 }
  expect(nextAttempt(RETRY_RULES, asked, first)).toBe(first + 7_200_000)
  expect(nextAttempt(RETRY_RULES, { ...asked, retryAfter: 1 }, first)).toBe(first + 10_000)
})
