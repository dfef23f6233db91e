import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../tests/support/api.ts'
import { addPerson, consoleCaller, OWN_PAGE } from '../../tests/support/console.ts'

const routes = (api: TestApi) =>
  api.app.routeTable.filter(({ url, method }) => url.startsWith('/console/api/') && method !== 'HEAD')

const pathOf = (url: string) => url.replace('/console/api', '').replace(/:\w+/g, randomUUID())

test('every route of the console needs a session, except those for signing in', async () => {
  const api = await startTestApi()
  const open = routes(api).filter(({ config }) => config.access === 'open')
  expect(open.map(({ method, url }) => `${method} ${url}`).sort()).toEqual([
    'GET /console/api/state',
    'POST /console/api/link',
    'POST /console/api/link/check',
    'POST /console/api/sign-in',
  ])
  const guarded = routes(api).filter((route) => !open.includes(route))
  expect(guarded.length).toBeGreaterThan(10)
  const install = await api.install(['order:view'])
  const token = await api.getToken(install, { install_id: install.install_id })
  for (const { method, url } of guarded)
    for (const headers of [
      {},
      { cookie: 'console=forged' },
      { cookie: `console=${'x'.repeat(43)}` },
      { authorization: `Bearer ${token}` },
    ])
      expect(
        await consoleCaller(api).send(method, pathOf(url), undefined, headers as Record<string, string>),
        url,
      ).toFailWith('sign_in_required')
})

test('every write refuses requests that do not come from a page of the console', async () => {
  const api = await startTestApi()
  const { cookie } = await addPerson(api)
  const send = (method: string, url: string, headers: Record<string, string>, payload?: string) =>
    api.app.inject({
      method: method as 'POST',
      url: `/console/api${pathOf(url)}`,
      headers: { host: 'localhost', cookie, ...headers },
      ...(payload !== undefined && { payload }),
    })
  const json = { 'content-type': 'application/json' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const foreign: [string, Record<string, string>, string?][] = [
    ['cross-site', { 'sec-fetch-site': 'cross-site', ...json }, '{}'],
    ['same-site', { 'sec-fetch-site': 'same-site', ...json }, '{}'],
    ['typed into the address bar', { 'sec-fetch-site': 'none', ...json }, '{}'],
    ['no headers', json, '{}'],
    ['another origin', { origin: 'http://evil.example', ...json }, '{}'],
    ['another port', { origin: 'http://localhost:81', ...json }, '{}'],
    ['a form', { ...OWN_PAGE, ...form }, 'a=b'],
    ['plain text', { ...OWN_PAGE, 'content-type': 'text/plain' }, '{}'],
    ['a body without a type', OWN_PAGE, '{}'],
  ]
  const writes = routes(api).filter(({ method }) => method !== 'GET')
  expect(writes.length).toBeGreaterThan(8)
  for (const { method, url } of writes)
    for (const [what, headers, payload] of foreign) {
      const reply = await send(method, url, headers, payload)
      expect(reply.statusCode, `${method} ${url} ${what}: ${reply.payload}`).toBe(403)
      expect(reply.json().code).toBe('forbidden')
    }
  const own = await send('PUT', '/console/api/me', { origin: 'http://localhost', ...json }, '{}')
  expect(own.statusCode, 'an old browser without Sec-Fetch-Site').toBe(200)
})

test('other origins are never allowed into the console, whatever the API allows', async () => {
  const api = await startTestApi({ CORS_ORIGIN: '*' })
  const origin = 'https://admin.example'
  const preflight = { origin, 'access-control-request-method': 'GET' }
  for (const path of ['/console', '/console/api/me', '/console/api/sign-in', '/console/orders']) {
    expect((await api.site.get(path, { origin })).headers.get('access-control-allow-origin'), path).toBeNull()
    const asked = await api.site.send('OPTIONS', path, undefined, preflight)
    expect(asked.headers.get('access-control-allow-origin'), path).toBeNull()
  }
  expect((await api.anonymous.get('/permission', { origin })).headers.get('access-control-allow-origin')).toBe('*')
})

test('CONSOLE=off removes every page and route of the console', async () => {
  const api = await startTestApi({ CONSOLE: 'off' })
  for (const path of ['/console', '/console/orders', '/console/api/state', '/console/assets/x.js'])
    expect(await api.site.get(path)).toFailWith('not_found')
})

const FILES = new URL('../../dist/console/files.json', import.meta.url)

describe.skipIf(!existsSync(FILES))('the pages', () => {
  test('are one shell under a strict policy', async () => {
    const api = await startTestApi()
    const shell = await api.site.get('/console')
    expect(shell.status).toBe(200)
    expect(shell.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(shell.headers.get('cache-control')).toBe('no-cache')
    expect(shell.headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(shell.headers.get('x-frame-options')).toBe('DENY')
    expect(shell.headers.get('set-cookie')).toBeNull()
    expect(shell.headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `img-src 'self' blob: data: ${api.origin}`,
      `media-src 'self' blob: data: ${api.origin}`,
      "connect-src 'self'",
      "frame-src 'none'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ])
    expect(shell.text).not.toMatch(/<script(?![^>]*src=)|<style|style=| on\w+=|https?:/)
    const deep = await api.site.get('/console/s/whatever/orders/x?status=paid')
    expect(deep.text).toBe(shell.text)
    const etag = shell.headers.get('etag') ?? ''
    expect((await api.site.get('/console', { 'if-none-match': etag })).status).toBe(304)
    expect(await api.site.get('/console/api/nothing')).toFailWith('not_found')
    expect(await api.site.post('/console/sign-in')).toFailWith('method_not_allowed')
  })

  test('load their files by name from the manifest, and nothing else', async () => {
    const api = await startTestApi()
    const { files } = JSON.parse(readFileSync(FILES, 'utf8')) as { files: Record<string, { type: string }> }
    const script = Object.keys(files).find((name) => name.endsWith('.js')) as string
    const sent = await api.site.get(`/console/assets/${script}`, { 'accept-encoding': 'br' })
    expect(sent.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(sent.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(sent.headers.get('x-content-type-options')).toBe('nosniff')
    const plain = await api.site.get(`/console/assets/${script}`, { 'accept-encoding': 'identity' })
    expect(plain.text).toBe(sent.text)
    for (const name of [
      '..%2ffiles.json',
      '%2e%2e%2f%2e%2e%2fpackage.json',
      'constructor',
      '__proto__',
      `${script}.br`,
      'x.js',
    ])
      expect(await api.site.get(`/console/assets/${name}`), name).toFailWith('not_found')
  })

  test('of a service behind a path know that path', async () => {
    const api = await startTestApi({ BASE_URL: 'https://shop.example/back' })
    const { payload } = await api.app.inject({ url: '/console', headers: { host: 'shop.example' } })
    expect(payload).toContain('"/back/console/assets/')
    expect(payload).toContain('data-base="/back/console"')
  })
})
