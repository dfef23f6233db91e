import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import {
  createClient,
  SessionTokenError,
  verifySessionToken,
  verifyWebhook,
  WebhookVerificationError,
} from '../../client/dist/index.js'
import { home, message, page } from './page.mjs'

const MAX_EVENTS = 20
/** How long somebody may think about installing. */
const CONSENT_MS = 10 * 60_000
const MAX_OPEN_CONSENTS = 1_000

/** What this app answers to a request that it does not accept. */
class Refusal extends Error {
  constructor(/** @type {number} */ status, /** @type {string} */ text) {
    super(text)
    this.status = status
  }
}

const random = () => randomBytes(32).toString('base64url')

/** @typedef {import('node:http').IncomingMessage} Request */

/**
 * @param {{ service: string, site: string, clientId: string, clientSecret: string, lifecycleSecret: string,
 *   installations: import('./installations.mjs').Installations }} options
 */
export const createApp = ({ service, site, clientId, clientSecret, lifecycleSecret, installations }) => {
  /** Consents that were asked for and not answered, by state. @type {Map<string, { verifier: string, ends: number }>} */
  const asked = new Map()
  /** @type {Map<string, Promise<void>>} */
  const joining = new Map()

  const clientOf = (/** @type {string} */ installId) =>
    createClient({ baseUrl: `${service}/api/apps/v1`, clientId, clientSecret, installId })

  const join = async (/** @type {string} */ installId, /** @type {string} */ store) => {
    const url = `${site}/webhook/${installId}`
    const webhook = await clientOf(installId).webhooks.create({ url, types: ['order.*'] })
    await installations.set(installId, { store, secret: webhook.secret, events: [] })
  }

  /** The browser and the service both tell of an installation: whoever comes first creates the webhook. */
  const welcome = async (/** @type {string} */ installId, /** @type {string} */ store) => {
    if (installations.get(installId)) return
    const running = joining.get(installId) ?? join(installId, store).finally(() => joining.delete(installId))
    joining.set(installId, running)
    await running
  }

  /** Sends the browser to the page where a person of the store decides. */
  const install = () => {
    for (const [state, { ends }] of asked) if (ends < Date.now() || asked.size >= MAX_OPEN_CONSENTS) asked.delete(state)
    const [state, verifier] = [random(), random()]
    asked.set(state, { verifier, ends: Date.now() + CONSENT_MS })
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: `${site}/callback`,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    // Only the browser that has asked may come back with the answer.
    const cookie = `state=${state}; HttpOnly; SameSite=Lax; Path=/callback; Max-Age=${CONSENT_MS / 1000}`
    return { status: 302, headers: { location: `${service}/oauth/authorize?${query}`, 'set-cookie': cookie }, body: '' }
  }

  const callback = async (/** @type {Request} */ request) => {
    const answer = new URL(request.url ?? '', site).searchParams
    const state = answer.get('state') ?? ''
    const consent = asked.get(state)
    asked.delete(state)
    const own = request.headers.cookie?.split('; ').includes(`state=${state}`)
    if (!consent || consent.ends < Date.now() || !own || answer.get('iss') !== service)
      throw new Refusal(400, 'This answer does not belong to a question of this app.')
    if (answer.has('error')) return { status: 200, type: 'text/html', body: message('The app was not installed.') }
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: answer.get('code') ?? '',
      redirect_uri: `${site}/callback`,
      code_verifier: consent.verifier,
      client_id: clientId,
      client_secret: clientSecret,
    })
    const reply = await fetch(`${service}/oauth/token`, { method: 'POST', body })
    const granted = /** @type {any} */ (await reply.json())
    if (!reply.ok) throw new Refusal(400, `The code was refused: ${granted.error_description}`)
    await welcome(granted.install_id, granted.store)
    return { status: 200, type: 'text/html', body: message('Installed. Open it in the console, under Apps.') }
  }

  /** Told by the service, signed: a store has installed the app, or does not want it any more. */
  const lifecycle = async (/** @type {Request} */ request) => {
    const { type, data } = /** @type {any} */ (
      await verifyWebhook(request.headers, await buffer(request), lifecycleSecret)
    )
    if (type === 'app.installed') await welcome(data.install_id, data.store)
    if (type === 'app.uninstalled') await installations.delete(data.install_id)
    return { status: 204, body: '' }
  }

  const webhook = async (/** @type {Request} */ request) => {
    const installId = request.url?.split('/')[2] ?? ''
    const installation = installations.get(installId)
    if (!installation) throw new Refusal(410, 'This store has uninstalled the app.')
    const event = await verifyWebhook(request.headers, await buffer(request), installation.secret)
    // An event may come more than once.
    const others = installation.events.filter(({ id }) => id !== event.id)
    const seen = { id: event.id, type: event.type, resource: event.resource.id, at: event.timestamp }
    await installations.set(installId, { ...installation, events: [seen, ...others].slice(0, MAX_EVENTS) })
    return { status: 204, body: '' }
  }

  /** For the page in the frame: the session token says who has opened it, and for which store. */
  const events = async (/** @type {Request} */ request) => {
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    const session = await verifySessionToken(token, { issuer: service, clientId })
    if (!session.permissions.includes('order:view')) throw new Refusal(403, 'You may not see orders.')
    // Opening is also how the app learns of an installation whose message was lost.
    await welcome(session.install_id, session.store)
    const body = JSON.stringify({ events: installations.get(session.install_id)?.events ?? [] })
    return { status: 200, type: 'application/json', body }
  }

  const html = (/** @type {string} */ body) => async () => ({ status: 200, type: 'text/html', body })
  const script = new URL('../../client/dist/embed.js', import.meta.url)

  /** @type {Record<string, (request: Request) => Promise<{ status: number, type?: string, headers?: object, body: string }>>} */
  const routes = {
    'GET /': html(home),
    'GET /embed': html(page(new URL(service).origin)),
    'GET /embed.js': async () => ({ status: 200, type: 'text/javascript', body: await readFile(script, 'utf8') }),
    'GET /install': async () => install(),
    'GET /callback': callback,
    'GET /events': events,
    'POST /lifecycle': lifecycle,
    'POST /webhook': webhook,
  }

  const statusOf = (/** @type {unknown} */ error) => {
    if (error instanceof Refusal) return error.status
    if (error instanceof SessionTokenError) return 401
    return error instanceof WebhookVerificationError ? 400 : 500
  }

  /** @type {import('node:http').RequestListener} */
  const handle = async (request, reply) => {
    const [, first = ''] = (request.url ?? '').split(/[/?]/)
    try {
      const route = routes[`${request.method} /${first}`]
      if (!route) throw new Refusal(404, 'There is nothing here.')
      const { status, type = 'text/plain', headers, body } = await route(request)
      reply.writeHead(status, { 'content-type': `${type}; charset=utf-8`, ...headers }).end(body)
    } catch (error) {
      const status = statusOf(error)
      if (status === 500) console.error(error)
      const text =
        status === 500 ? 'Something went wrong: see the output of the app.' : String(/** @type {any} */ (error).message)
      reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message: text }))
    }
  }
  return handle
}
