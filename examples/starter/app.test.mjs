import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { createApp } from './app.mjs'

const CLIENT_ID = 'app_test'
const INSTALL_ID = '0192f0c1-4b1e-7c3a-9d52-6f0d8f1b2a77'

const listen = async (/** @type {import('node:http').RequestListener} */ handler) => {
  const server = createServer(handler)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() }
}

const encode = (/** @type {object} */ value) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('an event that is signed is shown to whoever opens the app, and forgeries are refused', async (context) => {
  // The service, as far as this test needs it: the public key of its session tokens.
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }]
  const service = await listen((_request, reply) => reply.end(JSON.stringify({ keys })))
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  /** @type {Map<string, any>} */
  const known = new Map([[INSTALL_ID, { store: 'store', secret, events: [] }]])
  const app = await listen(
    createApp({
      service: service.origin,
      site: 'http://app.example',
      clientId: CLIENT_ID,
      clientSecret: 'sk_test',
      lifecycleSecret: secret,
      installations: {
        get: (id) => known.get(id),
        set: async (id, installation) => void known.set(id, installation),
        delete: async (id) => void known.delete(id),
      },
    }),
  )
  context.after(() => {
    service.close()
    app.close()
  })

  const deliver = (/** @type {string} */ path, /** @type {object} */ event, signedWith = secret) => {
    const [id, seconds, body] = ['evt_1', String(Math.floor(Date.now() / 1000)), JSON.stringify(event)]
    const key = Buffer.from(signedWith.slice('whsec_'.length), 'base64')
    const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
    const headers = { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` }
    return fetch(`${app.origin}${path}`, { method: 'POST', headers, body })
  }
  const open = (/** @type {object} */ claims = {}) => {
    const session = {
      iss: service.origin,
      aud: CLIENT_ID,
      install_id: INSTALL_ID,
      store: 'store',
      permissions: ['order:view'],
    }
    const signed = `${encode({ alg: 'ES256', kid: 'one' })}.${encode({ ...session, exp: Date.now() / 1000 + 60, ...claims })}`
    const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    const token = `${signed}.${signature.toString('base64url')}`
    return fetch(`${app.origin}/events`, { headers: { authorization: `Bearer ${token}` } })
  }

  const event = {
    id: 'evt_1',
    type: 'order.created',
    resource: { kind: 'order', id: 'o1' },
    timestamp: '2026-11-18T09:30:00.000Z',
  }
  const forged = `whsec_${randomBytes(32).toString('base64')}`
  assert.equal((await deliver(`/webhook/${INSTALL_ID}`, event, forged)).status, 400)
  assert.deepEqual(await (await open()).json(), { events: [] })
  assert.equal((await deliver(`/webhook/${INSTALL_ID}`, event)).status, 204)
  assert.equal((await deliver(`/webhook/${INSTALL_ID}`, event)).status, 204)
  const { events } = /** @type {any} */ (await (await open()).json())
  assert.deepEqual(events, [{ id: 'evt_1', type: 'order.created', resource: 'o1', at: event.timestamp }])

  assert.equal((await open({ aud: 'app_other' })).status, 401)
  assert.equal((await open({ exp: 1 })).status, 401)
  assert.equal((await open({ permissions: [] })).status, 403)
  assert.equal((await fetch(`${app.origin}/callback?state=x&code=y`)).status, 400)

  const gone = { type: 'app.uninstalled', data: { install_id: INSTALL_ID } }
  assert.equal((await deliver('/lifecycle', gone, forged)).status, 400)
  assert.equal((await deliver('/lifecycle', gone)).status, 204)
  assert.equal((await deliver(`/webhook/${INSTALL_ID}`, event)).status, 410)
})
