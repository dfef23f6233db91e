// An app in a tab of its own: the orders that wait to be confirmed by phone. It can also be installed from its own page.
//   STOREFRONT_URL=https://api.example.com CLIENT_ID=… CLIENT_SECRET=… SITE=https://board.example node examples/order-board.mjs
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { createClient, SessionTokenError, verifySessionToken } from '../client/dist/index.js'

/** What the operator registers: `storefront-apps app create --manifest`. */
export const manifestAt = (/** @type {string} */ site) => ({
  name: 'Order board',
  description: 'Orders that wait to be confirmed, the oldest first, with the number to call.',
  developer: 'Example apps',
  url: `${site}/`,
  support_url: `${site}/`,
  privacy_url: `${site}/`,
  redirect_uris: [`${site}/callback`],
  permissions: { required: ['order:view'], optional: [] },
  languages: {
    fr: { name: 'Tableau des commandes', description: 'Les commandes à confirmer, avec le numéro à appeler.' },
    ar: { name: 'لوحة الطلبات', description: 'الطلبات التي تنتظر التأكيد، مع الرقم للاتصال.' },
  },
})

/** By language: title, columns, and what is said if there is no order. */
const WORDS = {
  en: ['Orders to confirm', 'Order', 'Customer', 'Phone', 'Total', 'All orders are confirmed.'],
  fr: ['Commandes à confirmer', 'Commande', 'Client', 'Téléphone', 'Total', 'Toutes les commandes sont confirmées.'],
  ar: ['طلبات للتأكيد', 'الطلب', 'الزبون', 'الهاتف', 'المجموع', 'كل الطلبات مؤكدة.'],
}

const html = (/** @type {unknown} */ value) =>
  String(value ?? '').replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const page = (/** @type {string} */ title, /** @type {string} */ body, locale = 'en') => `<!doctype html>
<html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${html(title)}</title>
<style>
  :root { color-scheme: light dark; font: 1rem system-ui, sans-serif }
  body { max-inline-size: 50rem; margin: 2rem auto; padding: 0 1rem }
  table { border-collapse: collapse; inline-size: 100% } th, td { padding: 0.5rem; text-align: start; border-block-end: 1px solid #8884 }
</style>
<h1>${html(title)}</h1>${body}</html>`

/** @param {{ service: string, clientId: string, clientSecret: string, site: string }} options */
export const createApp = ({ service, clientId, clientSecret, site }) => {
  const redirect = `${site}/callback`
  /** Who was sent to the console, by state: the verifier of PKCE. A real app keeps them with the visitor's session. */
  const asked = new Map()
  const clients = new Map()
  const clientOf = (/** @type {string} */ installId) => {
    const baseUrl = `${service}/api/apps/v1`
    if (!clients.has(installId)) clients.set(installId, createClient({ baseUrl, clientId, clientSecret, installId }))
    return clients.get(installId)
  }

  const board = async (/** @type {string} */ installId, /** @type {keyof typeof WORDS} */ locale = 'en') => {
    const [title = '', ...words] = WORDS[locale] ?? WORDS.en
    const query = {
      is_cancelled: false,
      delivery_status: 'unfulfilled',
      status: 'pending',
      order_direction: 'ASC',
      page_size: 20,
    }
    const { orders } = await clientOf(installId).orders.list(query)
    const cells = (/** @type {unknown[]} */ ...values) => values.map((value) => `<td>${html(value)}</td>`).join('')
    const rows = orders.map(
      (/** @type {any} */ { ref, customer_name, customer_phone, total }) =>
        `<tr>${cells(ref, customer_name, customer_phone, total)}</tr>`,
    )
    const none = words.pop()
    const heads = words.map((name) => `<th>${name}</th>`).join('')
    const table = `<table><thead><tr>${heads}</tr></thead><tbody>${rows.join('')}</tbody></table>`
    return page(title, rows.length > 0 ? table : `<p>${none}</p>`, locale)
  }

  const connect = () => {
    const [state, verifier] = [randomBytes(16).toString('base64url'), randomBytes(32).toString('base64url')]
    if (asked.size > 1_000) asked.clear()
    asked.set(state, verifier)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const query = { response_type: 'code', client_id: clientId, redirect_uri: redirect, state }
    return `${service}/oauth/authorize?${new URLSearchParams({ ...query, code_challenge: challenge, code_challenge_method: 'S256' })}`
  }

  const connected = async (/** @type {URLSearchParams} */ answer) => {
    const verifier = asked.get(answer.get('state'))
    asked.delete(answer.get('state'))
    // Another service, or an answer to a question that nobody asked.
    if (!verifier || answer.get('iss') !== service) throw new SessionTokenError('This answer is not for us.')
    if (answer.has('error')) return page('Not now', '<p>Nothing was installed.</p>')
    const fields = { grant_type: 'authorization_code', code: answer.get('code') ?? '', redirect_uri: redirect }
    const secrets = { client_id: clientId, client_secret: clientSecret, code_verifier: verifier }
    const reply = await fetch(`${service}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...fields, ...secrets }),
    })
    if (!reply.ok) throw new SessionTokenError('The code was refused.')
    return board(/** @type {any} */ (await reply.json()).install_id)
  }

  const opened = async (/** @type {import('node:http').IncomingMessage} */ request) => {
    const token = new URLSearchParams(await text(request)).get('session_token') ?? ''
    const session = await verifySessionToken(token, { issuer: service, clientId })
    if (!session.permissions.includes('order:view')) throw new SessionTokenError('You may not see orders.')
    return board(session.install_id, /** @type {keyof typeof WORDS} */ (session.locale ?? 'en'))
  }

  /** @type {import('node:http').RequestListener} */
  const handle = async (request, reply) => {
    const send = (/** @type {number} */ status, /** @type {string} */ body) =>
      reply.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(body)
    try {
      const { pathname, searchParams } = new URL(request.url ?? '/', site)
      if (pathname === '/connect') return reply.writeHead(303, { location: connect() }).end()
      if (pathname === '/callback') return send(200, await connected(searchParams))
      if (pathname !== '/') return send(404, page('Order board', '<p>There is nothing here.</p>'))
      if (request.method === 'POST') return send(200, await opened(request))
      send(
        200,
        page('Order board', '<p>Orders to confirm, with the number to call.</p><a href="./connect">Install</a>'),
      )
    } catch (error) {
      const { message } = /** @type {Error} */ (error)
      send(error instanceof SessionTokenError ? 403 : 500, page('Order board', `<p>${html(message)}</p>`))
    }
  }
  return handle
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const { STOREFRONT_URL = '', CLIENT_ID = '', CLIENT_SECRET = '', SITE = '', PORT = '8081' } = process.env
  const options = { service: STOREFRONT_URL, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, site: SITE }
  createServer(createApp(options)).listen(Number(PORT))
}
