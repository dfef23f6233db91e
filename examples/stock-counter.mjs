// An app that is shown inside the console: counts what is on the shelf, product by product.
//   STOREFRONT_URL=https://api.example.com CLIENT_ID=… CLIENT_SECRET=… node examples/stock-counter.mjs
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { createClient, SessionTokenError, verifySessionToken } from '../client/dist/index.js'

/** What the operator registers: `storefront-apps app create --manifest`. */
export const manifestAt = (/** @type {string} */ site) => ({
  name: 'Stock counter',
  description: 'Count what is on the shelf, and correct the stock in one place.',
  developer: 'Example apps',
  url: `${site}/`,
  embed_url: `${site}/embed`,
  support_url: `${site}/`,
  privacy_url: `${site}/`,
  redirect_uris: [],
  permissions: { required: ['product:view'], optional: ['product:update'] },
  languages: {
    fr: { name: 'Inventaire', description: 'Comptez ce qui est en rayon et corrigez le stock.' },
    ar: { name: 'جرد المخزون', description: 'عُدّ ما على الرف وصحّح المخزون في مكان واحد.' },
  },
})

/** By language: title, column, button, and two messages. */
const WORDS = {
  en: ['What is running low', 'In stock', 'Save', 'Saved', 'Nothing to count.'],
  fr: ['Ce qui s’épuise', 'En stock', 'Enregistrer', 'Enregistré', 'Rien à compter.'],
  ar: ['ما يوشك أن ينفد', 'في المخزون', 'حفظ', 'تم الحفظ', 'لا شيء للعد.'],
}

/** The page in the frame. It has no rights of its own: each request brings a session token of the console. */
const page = (/** @type {string[]} */ consoles) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Stock counter</title>
<style>
  :root { color-scheme: light dark; font: 0.875rem system-ui, sans-serif }
  body { margin: 0; padding: 1.25rem } h1 { font-size: 1rem }
  table { border-collapse: collapse; inline-size: 100% } th, td { padding: 0.5rem 0; text-align: start; border-block-end: 1px solid #8884 }
  input { inline-size: 5rem; font: inherit; padding: 0.25rem } button { font: inherit; padding: 0.5rem 1rem }
</style>
<main></main>
<script type="module">
  import { connectEmbed } from './embed.js'
  const words = ${JSON.stringify(WORDS)}
  // Only the console may embed this page, and only it is told anything.
  const host = new URL(document.referrer || 'about:blank').origin
  const console_ = ${JSON.stringify(consoles)}.includes(host) ? connectEmbed(host) : undefined
  const call = async (method, body) => {
    const headers = { authorization: 'Bearer ' + (await console_.sessionToken()), 'content-type': 'application/json' }
    const reply = await fetch('./stock', { method, headers, body: body && JSON.stringify(body) })
    if (!reply.ok) throw new Error((await reply.json()).message)
    return reply.json()
  }
  const element = (name, text) => Object.assign(document.createElement(name), { textContent: text ?? '' })
  const main = document.querySelector('main')
  const show = ({ locale, theme, mayCount, lines }) => {
    const [title, inStock, saveIt, saved, nothing] = words[locale] ?? words.en
    document.documentElement.lang = locale ?? 'en'
    document.documentElement.dir = locale === 'ar' ? 'rtl' : 'ltr'
    if (theme) document.documentElement.style.colorScheme = theme
    const table = element('table')
    table.createTHead().append(element('th', title), element('th', 'SKU'), element('th', inStock))
    const body = table.createTBody()
    for (const { title: product, sku, quantity } of lines) {
      const row = body.insertRow()
      const input = Object.assign(element('input'), { type: 'number', min: 0, value: quantity, name: sku, disabled: !mayCount })
      input.setAttribute('aria-label', inStock + ': ' + sku)
      row.append(element('td', product), element('td', sku), element('td'))
      row.cells[2].append(input)
    }
    const save = Object.assign(element('button', saveIt), { disabled: !mayCount || lines.length === 0 })
    save.onclick = async () => {
      const inputs = [...table.querySelectorAll('input')].filter(({ value, defaultValue }) => value !== defaultValue)
      await call('POST', { stock: inputs.map(({ name, value }) => ({ sku: name, quantity: Number(value) })) })
      console_.toast(saved)
      show(await call('GET'))
    }
    main.replaceChildren(...(lines.length ? [table, element('p'), save] : [element('p', nothing)]))
  }
  if (console_) call('GET').then(show, ({ message }) => main.replaceChildren(element('p', message)))
  else main.replaceChildren(element('p', 'Open this app in the console.'))
</script></html>`

/** @param {{ service: string, clientId: string, clientSecret: string, consoles?: string[] }} options */
export const createApp = ({ service, clientId, clientSecret, consoles = [new URL(service).origin] }) => {
  const clients = new Map()
  const clientOf = (/** @type {string} */ installId) => {
    const baseUrl = `${service}/api/apps/v1`
    if (!clients.has(installId)) clients.set(installId, createClient({ baseUrl, clientId, clientSecret, installId }))
    return clients.get(installId)
  }

  /** @param {import('node:http').IncomingMessage} request */
  const stock = async (request) => {
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    // Who asks, for which store, and what both the person and this app may do.
    const session = await verifySessionToken(token, { issuer: service, clientId })
    const client = clientOf(session.install_id)
    const mayCount = session.permissions.includes('product:update')
    if (request.method === 'POST') {
      if (!mayCount) throw new SessionTokenError('This store lets the app only look.')
      return client.stock.update({ stock: /** @type {any} */ (await json(request)).stock })
    }
    const { products } = await client.products.list({ page_size: 100, is_digital: false })
    const lines = products.flatMap((/** @type {any} */ { title, variants, default: single }) =>
      (variants.length > 0 ? variants : [single])
        .filter((/** @type {any} */ variant) => variant?.sku)
        .map((/** @type {any} */ { sku, quantity }) => ({ title, sku, quantity })),
    )
    lines.sort((/** @type {any} */ a, /** @type {any} */ b) => a.quantity - b.quantity)
    return { locale: session.locale, theme: session.theme, mayCount, lines: lines.slice(0, 20) }
  }

  /** @type {import('node:http').RequestListener} */
  const handle = async (request, reply) => {
    const send = (/** @type {number} */ status, /** @type {string} */ type, /** @type {string | Buffer} */ body) =>
      reply.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(body)
    try {
      const path = request.url?.split('?')[0]
      if (path === '/embed' || path === '/') return send(200, 'text/html', page(consoles))
      if (path === '/embed.js')
        return send(200, 'text/javascript', await readFile(new URL('../client/dist/embed.js', import.meta.url)))
      if (path === '/stock') return send(200, 'application/json', JSON.stringify(await stock(request)))
      send(404, 'text/plain', 'There is nothing here.')
    } catch (error) {
      const { message } = /** @type {Error} */ (error)
      send(error instanceof SessionTokenError ? 403 : 500, 'application/json', JSON.stringify({ message }))
    }
  }
  return handle
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const { STOREFRONT_URL = '', CLIENT_ID = '', CLIENT_SECRET = '', PORT = '8080' } = process.env
  createServer(createApp({ service: STOREFRONT_URL, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET })).listen(
    Number(PORT),
  )
}
