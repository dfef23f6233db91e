import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startTestApi } from '../../tests/support/api.ts'
import { hasBrowser, openBrowser } from '../../tests/support/browser.ts'
import { addCleanup } from '../../tests/support/cleanup.ts'
import { cloneDemo } from '../../tests/support/demo-store.ts'
import { temporaryFolder } from '../../tests/support/server-process.ts'
import { cloneDatabase } from '../../tests/support/test-database.ts'
import { readConfig } from '../config/config.ts'
import type { DemoCredentials } from '../demo/credentials-file.ts'
import { startHttpServer } from '../server/http-server.ts'

const installed = hasBrowser('the documents page is not tested in a browser')

interface Shown {
  [method: string]: {
    operationId: string
    parameters?: { name: string; in: string; example?: string }[]
    requestBody?: { content: Record<string, { example?: unknown }> }
  }
}

const GUIDES = [
  'Authentication and tokens',
  'Permissions',
  'Paging and cursors',
  'Uploads',
  'Idempotency',
  'Errors',
  'Products, variants and default',
  'The life of an order',
  'Export',
]

test('without a demo store the page shows no credentials', async () => {
  const api = await startTestApi()
  const page = await api.site.get('/docs')
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const { info } = (await api.site.get('/docs/openapi.json')).body
  expect(info.description).toContain('YOUR_CLIENT_ID')
  expect(page.text + info.description).not.toMatch(/sk_/)
})

test('only a reader on this machine is shown the demo store’s credentials', async () => {
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: await temporaryFolder() })
  const demo = { install_id: 'i-1', client_id: 'c-1', client_secret: 'sk_to-be-kept' }
  const server = await startHttpServer(config, await cloneDatabase(), { demo })
  addCleanup(server.close)
  const shows = async (headers: Record<string, string>) => {
    const texts = ['/docs', '/docs/openapi.json', '/openapi.json'].map(async (url) => {
      const { payload } = await server.app.inject({ url, headers })
      return payload.includes(demo.client_secret)
    })
    return Promise.all(texts)
  }
  for (const host of ['127.0.0.1:3000', 'localhost', '[::1]:3000', 'shop.localhost:3000'])
    expect(await shows({ host }), host).toEqual([true, true, false])
  const others: Record<string, string>[] = [
    { host: 'shop.example' },
    { host: '127.0.0.1.evil.example' },
    { host: 'localhost', 'x-forwarded-for': '203.0.113.9' },
    { host: 'localhost', forwarded: 'for=203.0.113.9' },
    { host: 'localhost', via: '1.1 proxy' },
  ]
  for (const headers of others) expect(await shows(headers), JSON.stringify(headers)).toEqual([false, false, false])
})

test('the page loads nothing from other origins, and its script is cached permanently', async () => {
  const api = await startTestApi()
  const page = await api.site.get('/docs')
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("connect-src 'self'")
  expect(policy).not.toMatch(/https?:|unsafe-eval|script-src[^;]*unsafe-inline/)
  expect(page.text).not.toMatch(/https?:\/\//)
  const [, name] = /<script src="docs\/([^"]+)"/.exec(page.text) ?? []
  const script = await api.site.get(`/docs/${name}`, { 'accept-encoding': 'gzip' })
  expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(script.headers.get('content-encoding')).toBe('gzip')
  expect(script.text.length).toBeGreaterThan(1_000_000)
  const plain = await api.site.get(`/docs/${name}`, { 'accept-encoding': 'identity' })
  expect(plain.headers.get('content-encoding')).toBeNull()
  expect(plain.text).toBe(script.text)
  expect(await api.site.get('/docs/other.js')).toFailWith('not_found')
})

test('the URL with a trailing slash serves the same page', async () => {
  const api = await startTestApi()
  const response = await fetch(`${api.origin}/docs/?x=1`)
  expect(response.url).toBe(`${api.origin}/docs`)
  expect(response.status).toBe(200)
})

describe.skipIf(!installed)('in a browser, with the demo store', () => {
  // One page for all tests: rendering it takes seconds.
  let tab: Page
  /** Console errors and requests to other hosts: must stay empty. */
  const wrong: string[] = []
  let site: string
  let demo: DemoCredentials

  beforeAll(async () => {
    const store = await cloneDemo()
    demo = store.demo
    const server = await startHttpServer(store.config, store.connection, { demo })
    addCleanup(server.close)
    site = `http://127.0.0.1:${server.port}`
    const browser = await openBrowser()
    tab = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    tab.setDefaultTimeout(60_000)
    tab.on('console', (message) => message.type() === 'error' && wrong.push(message.text()))
    tab.on('pageerror', (error) => wrong.push(error.message))
    tab.on('request', (request) => {
      if (!request.url().startsWith(`${site}/`) && !/^(data|blob):/.test(request.url())) wrong.push(request.url())
    })
    await tab.goto(`${site}/docs`)
  })

  afterEach(() => expect(wrong).toEqual([]))

  /** Sends the prefilled request from the dialog of one operation. */
  const send = async (hash: string, operation: string) => {
    await tab.goto(`${site}/docs#${hash}`)
    await tab
      .getByRole('button', { name: `Test Request (${operation})`, exact: true })
      .first()
      .click()
    const [method, path] = operation.split(' ') as [string, string]
    const answered = tab.waitForResponse(
      (response) =>
        response.request().method().toLowerCase() === method && new URL(response.url()).pathname.endsWith(path),
    )
    await tab.getByRole('button', { name: /^Send/ }).last().click()
    const response = await answered
    await tab.getByText('200 OK').first().waitFor()
    return { request: response.request(), body: (await response.json()).data }
  }

  test('the page starts with working credentials, and fits a desktop and a phone', async () => {
    await tab.getByRole('heading', { name: 'Quick start' }).waitFor()
    const shown = await tab.locator('body').innerText()
    for (const value of [demo.client_id, demo.client_secret, demo.install_id]) expect(shown).toContain(value)
    const headings = await tab.locator('h1, h2, h3').allInnerTexts()
    expect(headings.map((heading) => heading.trim())).toEqual(expect.arrayContaining(GUIDES))
    for (const width of [390, 1440]) {
      await tab.setViewportSize({ width, height: 900 })
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    }
  })

  test('the OpenAPI document contains no credentials, with or without a demo store', async () => {
    const text = await (await fetch(`${site}/openapi.json`)).text()
    expect(text).toContain('sk_this-is-not-a-secret')
    for (const value of Object.values(demo)) expect(text).not.toContain(value)
    expect(text, 'examples name this server').not.toContain('127.0.0.1:3000')
  })

  test('a reader gets a token and sees products without leaving the page', async () => {
    const token = await send('tag/authentication/POST/auth/get-token', 'post /auth/get-token')
    expect(token.request.postDataJSON()).toMatchObject(demo)
    expect(token.body.token).toMatch(/^eyJ/)
    await tab.keyboard.press('Escape')
    const listed = await send('tag/products/GET/product', 'get /product')
    expect(listed.request.headers().authorization).toMatch(/^Bearer eyJ/)
    expect(new URL(listed.request.url()).searchParams.has('status')).toBe(false)
    expect(listed.body.products).toHaveLength(20)
    await tab.getByText(listed.body.products[0].id).first().waitFor()
    await tab.keyboard.press('Escape')
  })

  test('the guides are visible, and the upload command works as copied', async () => {
    await tab.goto(`${site}/docs#tag/files/POST/file`)
    await tab.getByRole('button', { name: 'Test Request (post /file)', exact: true }).first().waitFor()
    const sidebar = tab.locator('[data-sidebar-id$="/description/introduction"]')
    for (const guide of GUIDES) await sidebar.getByText(guide, { exact: true }).waitFor()
    const shown = tab.locator('pre', { hasText: `curl ${site}/api/apps/v1/file \\` }).first()
    await shown.getByText('How to start').waitFor()
    const command = (await shown.innerText()).replace(/^curl/, 'curl -sS --fail-with-body')
    const root = fileURLToPath(new URL('../..', import.meta.url))
    const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: root })
    expect(JSON.parse(stdout).data.file).toMatchObject({ name: 'README.md', alt: 'How to start' })
  })

  test('the picture of the life of an order keeps its lines, and scrolls within a phone', async () => {
    await tab.goto(`${site}/docs#description/the-life-of-an-order`)
    const picture = tab.locator('pre', { hasText: 'deliveries[].status' }).first()
    await picture.waitFor()
    const guide = await readFile(new URL('./guides/08-orders.md', import.meta.url), 'utf8')
    const [, drawn = ''] = /```text\n(.*?)\n```/s.exec(guide) ?? []
    const lines = (text: string) => text.split('\n').map((line) => line.trimEnd())
    expect(lines(await picture.innerText())).toEqual(expect.arrayContaining(lines(drawn)))
    await tab.setViewportSize({ width: 390, height: 900 })
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await tab.setViewportSize({ width: 1440, height: 900 })
  })

  test('every documented request example can be sent to the demo store unchanged', async () => {
    const base = `${site}/api/apps/v1`
    const json = { 'content-type': 'application/json' }
    const asked = await fetch(`${base}/auth/get-token`, { method: 'POST', headers: json, body: JSON.stringify(demo) })
    const { data } = (await asked.json()) as { data: { token: string } }
    const authorization = `Bearer ${data.token}`
    const { paths } = (await (await fetch(`${site}/openapi.json`)).json()) as { paths: Record<string, Shown> }
    const sent: string[] = []
    const isDelete = (method: string) => Number(method === 'delete')
    const shown = Object.entries(paths)
      .flatMap(([path, operations]) => Object.entries(operations).map(([method, shown]) => ({ path, method, shown })))
      // Deletions come last: the other examples need what they delete.
      .toSorted((one, other) => isDelete(one.method) - isDelete(other.method))
    for (const {
      path,
      method,
      shown: { operationId, parameters = [], requestBody },
    } of shown) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path')
      const body = requestBody?.content['application/json']?.example
      // Events are numbered by each database, as they happen there. The demo store has no plan. Installations are listed with
      // a full access token, and an app that narrows itself could send none of the others.
      const elsewhere = [
        ...['getToken', 'getEvent', 'switchPlan', 'getInvoice', 'payInvoice', 'reportPayment'],
        ...['listInstallations', 'updateOwnInstallation'],
      ]
      if (elsewhere.includes(operationId) || inPath.some(({ example }) => example === undefined)) continue
      if (requestBody && body === undefined) continue
      const address = inPath.reduce((address, { name, example }) => address.replace(`{${name}}`, example ?? ''), path)
      const response = await fetch(base + address, {
        method: method.toUpperCase(),
        headers: { authorization, ...(body !== undefined && json) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      expect([200, 201, 202], `${operationId}: ${(await response.text()).slice(0, 500)}`).toContain(response.status)
      expect(response.headers.get('x-ignored-input'), operationId).toBeNull()
      sent.push(operationId)
    }
    expect(sent.length).toBeGreaterThan(30)
  })
})
