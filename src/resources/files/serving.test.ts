import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { picture, upload } from '../../../tests/support/uploads.ts'

const tokenWith = async (api: TestApi, ...permissions: Parameters<TestApi['install']>[0]) => {
  const app = await api.install(permissions)
  return { authorization: `Bearer ${await api.getToken(app, { install_id: app.install_id })}` }
}

const video = Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1'), Buffer.alloc(200, 7)])
const document = Buffer.from('%PDF-1.7\n%âãÏÓ\n')

/** Uploads a file as the image of a product, which makes it public. */
const show = async (api: TestApi, file: Buffer) =>
  upload(api, { file, fileable_type: 'product', fileable_id: (await addProduct(api)).id })

test('pictures and videos that a product shows are served to everybody', async () => {
  const api = await startTestApi()
  for (const bytes of [await picture(), video]) {
    const file = await show(api, bytes)
    const response = await fetch(file.permanent_url)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(file.mime_type)
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600, must-revalidate')
    expect(response.headers.get('content-disposition')).toMatch(/^inline/)
    expect(response.headers.get('content-length')).toBe(String(bytes.length))
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
  }
})

test('a document needs a token of the store at its permanent URL', async () => {
  const api = await startTestApi()
  const otherStore = await startTestApi()
  const file = await upload(api, { file: document })
  const get = async (headers: Record<string, string> = {}) => (await fetch(file.permanent_url, { headers })).status
  expect(await get()).toBe(401)
  expect(await get(await tokenWith(api, 'product:view'))).toBe(403)
  expect(await get(await tokenWith(otherStore, 'file:browse'))).toBe(404)
  const response = await fetch(file.permanent_url, { headers: await tokenWith(api, 'file:browse') })
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('private, no-cache')
  expect(response.headers.get('content-disposition')).toMatch(/^attachment/)
  expect((await fetch(file.url)).status).toBe(200)
})

test('a signed URL works for its file until it expires', async () => {
  const api = await startTestApi()
  const file = await upload(api, { file: document })
  const other = await upload(api, { file: Buffer.from('%PDF-1.7\n%other') })
  const url = new URL(file.url)
  const expires = Number(url.searchParams.get('expires'))
  const seconds = expires - Date.now() / 1000
  expect(seconds).toBeGreaterThan(3600)
  const withParameter = (name: string, value: string) => {
    const changed = new URL(url)
    changed.searchParams.set(name, value)
    return fetch(changed)
  }
  expect((await withParameter('expires', String(expires + 1))).status).toBe(403)
  expect((await withParameter('signature', '0'.repeat(64))).status).toBe(403)
  expect((await withParameter('signature', 'x')).status).toBe(403)
  expect((await fetch(file.url.replace(file.id, other.id))).status).toBe(403)
  expect((await fetch(file.url.replace(/expires=\d+&/, ''))).status).toBe(403)
  const response = await fetch(url)
  expect(response.headers.get('cache-control')).toMatch(/^private, max-age=\d+, immutable$/)
})

test('an expired URL is refused', async () => {
  const api = await startTestApi()
  const file = await upload(api, { file: document })
  const { url } = file
  const now = Date.now
  Date.now = () => now() + 24 * 3_600_000
  try {
    expect((await fetch(url)).status).toBe(403)
  } finally {
    Date.now = now
  }
})

test('the signed URL stays the same for a while, so that replies can be cached', async () => {
  const api = await startTestApi()
  const file = await upload(api, { file: await picture() })
  const caller = await api.as('file:browse')
  const first = await caller.get(`/file/${file.id}`)
  await sleep(20)
  const again = await caller.get(`/file/${file.id}`, { 'if-none-match': first.headers.get('etag') as string })
  expect(again.status).toBe(304)
})

test('byte ranges of a file are served', async () => {
  const api = await startTestApi()
  const text = 'abcdefghijklmnopqrstuvwxyz'
  const file = await upload(api, { file: Buffer.from(text) })
  const get = (range: string, more: Record<string, string> = {}) => fetch(file.url, { headers: { range, ...more } })
  const part = async (range: string) => {
    const response = await get(range)
    expect(response.status).toBe(206)
    return [await response.text(), response.headers.get('content-range'), response.headers.get('content-length')]
  }
  expect(await part('bytes=0-0')).toEqual(['a', 'bytes 0-0/26', '1'])
  expect(await part('bytes=20-')).toEqual(['uvwxyz', 'bytes 20-25/26', '6'])
  expect(await part('bytes=-3')).toEqual(['xyz', 'bytes 23-25/26', '3'])
  expect(await part('bytes=24-99')).toEqual(['yz', 'bytes 24-25/26', '2'])
  expect(await part('bytes=-99')).toEqual([text, 'bytes 0-25/26', '26'])
  for (const outside of ['bytes=26-', 'bytes=-0', 'bytes=99-100']) {
    const response = await get(outside)
    expect(response.status).toBe(416)
    expect(response.headers.get('content-range')).toBe('bytes */26')
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toEqual({
      code: 'range_not_satisfiable',
      message: 'The range is outside of the file, which has 26 bytes.',
      errors: {},
    })
    expect(response.headers.get('x-request-id')).not.toBeNull()
  }
  for (const whole of ['bytes=0-1,3-4', 'bytes=5-2', 'lines=1-2', 'bytes=-', 'bytes=a-b']) {
    expect(await (await get(whole)).text()).toBe(text)
  }
  const etag = (await fetch(file.url)).headers.get('etag') as string
  const modified = (await fetch(file.url)).headers.get('last-modified') as string
  expect((await get('bytes=0-1', { 'if-range': etag })).status).toBe(206)
  expect((await get('bytes=0-1', { 'if-range': modified })).status).toBe(206)
  expect((await get('bytes=0-1', { 'if-range': '"other"' })).status).toBe(200)
  expect((await get('bytes=0-1', { 'if-range': 'Thu, 01 Jan 1970 00:00:00 GMT' })).status).toBe(200)
  expect((await fetch(file.url, { headers: { 'if-none-match': etag } })).status).toBe(304)
})

test('HEAD sends the headers without the file', async () => {
  const api = await startTestApi()
  const bytes = await picture()
  const file = await show(api, bytes)
  const response = await fetch(file.permanent_url, { method: 'HEAD' })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-length')).toBe(String(bytes.length))
  expect(response.headers.get('accept-ranges')).toBe('bytes')
  const thumbnail = await fetch(file.thumbnail, { method: 'HEAD' })
  const whole = await fetch(file.thumbnail)
  expect(thumbnail.headers.get('content-length')).toBe(String((await whole.arrayBuffer()).byteLength))
  const etag = whole.headers.get('etag') as string
  expect((await fetch(file.thumbnail, { headers: { 'if-none-match': etag } })).status).toBe(304)
})

test('text files are never compressed, because ranges refer to the stored bytes', async () => {
  const api = await startTestApi()
  const file = await upload(api, { file: Buffer.from('word '.repeat(5000)) })
  const response = await fetch(file.url, { headers: { 'accept-encoding': 'gzip, br' } })
  expect(response.headers.get('content-encoding')).toBeNull()
  expect(response.headers.get('content-length')).toBe('25000')
})

test.each([
  ['plain.txt', 'attachment; filename="plain.txt"'],
  [
    'with "quotes" and \\.txt',
    `attachment; filename="with _quotes_ and _.txt"; filename*=UTF-8''with%20%22quotes%22%20and%20%5C.txt`,
  ],
  ['100%.txt', `attachment; filename="100_.txt"; filename*=UTF-8''100%25.txt`],
  ["it's (new).txt", 'attachment; filename="it\'s (new).txt"'],
  ["l'été*.txt", `attachment; filename="l'_t_*.txt"; filename*=UTF-8''l%27%C3%A9t%C3%A9%2A.txt`],
  ['شاي.txt', `attachment; filename="___.txt"; filename*=UTF-8''%D8%B4%D8%A7%D9%8A.txt`],
  ['a\r\nSet-Cookie: x=1', `attachment; filename="a__Set-Cookie: x=1"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x%3D1`],
])('a file called %o is downloaded under that name, and the name is all it can say', async (name, header) => {
  const api = await startTestApi()
  const file = await upload(api, { file: Buffer.from('abc') })
  const renamed = api.db.updateTable('file').set({ name }).where('store_id', '=', api.store.id)
  await renamed.where('id', '=', file.id).execute()
  const response = await fetch(file.url)
  expect(response.headers.get('content-disposition')).toBe(header)
  expect(response.headers.get('set-cookie')).toBeNull()
})

test('an unknown file is not found', async () => {
  const api = await startTestApi()
  const base = `/api/apps/v1/files/${api.store.id}`
  for (const path of [randomUUID(), 'x', `${randomUUID()}/thumbnail`]) {
    expect(await api.site.get(`${base}/${path}`)).toFailWith('not_found')
  }
  const file = await upload(api, { file: document })
  expect(file.thumbnail).toBeNull()
  expect(await api.site.get(`${base}/${file.id}/thumbnail`)).toFailWith('not_found')
})
