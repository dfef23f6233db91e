import { randomBytes } from 'node:crypto'
import { readdir, rename } from 'node:fs/promises'
import { request as openRequest } from 'node:http'
import path from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { bomb, chunk, largeAvif, manyFrames } from '../../../tests/support/hostile-pictures.ts'
import { form, picture, upload } from '../../../tests/support/uploads.ts'
import { decodeInTurn } from './images.ts'

const BOUNDARY = 'X-BOUNDARY'
const raw = (text: string) => ({ body: Buffer.from(text), type: `multipart/form-data; boundary=${BOUNDARY}` })
const filePart = (headers: string, bytes = 'abc') => `--${BOUNDARY}\r\n${headers}\r\n\r\n${bytes}\r\n`
const END = `--${BOUNDARY}--\r\n`

const send = async (api: TestApi, { body, type }: { body: Buffer; type: string }) =>
  api.as('file:upload').post('/file', body, { 'content-type': type })

/** The store's files, and whatever is still arriving. */
const storedOf = async (api: TestApi) => {
  const root = path.join(api.config.DATA_DIR, 'blobs')
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => file.includes(api.store.id) || file.includes('incoming'))
}

test.each([
  ['a truncated form', raw(filePart('Content-Disposition: form-data; name="file"; filename="a"'))],
  ['a form truncated within a header', raw(`--${BOUNDARY}\r\nContent-Dispo`)],
  ['a form without a boundary', { body: Buffer.from('x'), type: 'multipart/form-data' }],
  ['a body that is not a form', raw('just words')],
  ['an empty body', raw('')],
])('%s is a bad request and leaves nothing', async (_what, request) => {
  const api = await startTestApi()
  expect(await send(api, request)).toFailWith('bad_request')
  expect(await storedOf(api)).toEqual([])
})

test('a form without a file is refused, and so is one with two', async () => {
  const api = await startTestApi()
  expect(await send(api, raw(END))).toBeRefused(422, 'file')
  const caller = await api.as('file:upload')
  expect(await caller.post('/file', form({ alt: 'nothing' }))).toBeRefused(422, 'file')
  expect(await caller.post('/file', form({ file: [await picture(), await picture('gif')] }))).toBeRefused(422, 'file')
  expect(await caller.post('/file', form({ file: await picture(), alt: ['a', 'b'] }))).toBeRefused(422, 'alt')
  expect(await storedOf(api)).toEqual([])
})

test('an empty file is refused, and an empty file input counts as missing', async () => {
  const api = await startTestApi()
  const caller = await api.as('file:upload')
  const named = await caller.post('/file', form({ file: { name: 'a.txt', bytes: Buffer.alloc(0) } }))
  expect(named).toBeRefused(422, 'file')
  expect(named.body.errors.file).toEqual(['must not be empty'])
  const unfilled = filePart(
    'Content-Disposition: form-data; name="file"; filename=""\r\nContent-Type: application/octet-stream',
    '',
  )
  const missing = await send(api, raw(unfilled + END))
  expect(missing.body.errors).toEqual({ file: ['is required'] })
  const given = filePart('Content-Disposition: form-data; name="file"; filename="a.txt"')
  expect((await send(api, raw(unfilled + given + END))).status).toBe(201)
  expect((await send(api, raw(given + unfilled + END))).status).toBe(201)
  const twice = await send(api, raw(given + unfilled + given + END))
  expect(twice).toBeRefused(422, 'file')
  expect(await api.db.selectFrom('file').select('size').where('store_id', '=', api.store.id).execute()).toEqual([
    { size: 3 },
    { size: 3 },
  ])
})

test('an upload that is not a form is an unsupported type, and a form elsewhere is too', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  expect(await caller.post('/file', { alt: 'x' })).toFailWith('unsupported_media_type')
  expect(await caller.post('/file', 'x', { 'content-type': 'text/plain' })).toFailWith('unsupported_media_type')
  expect(await caller.post('/customer', form({ email: 'a@b.example' }))).toFailWith('unsupported_media_type')
})

test('a file over the limit is too large, whether the size is announced or not', async () => {
  const api = await startTestApi({ MAX_UPLOAD_MB: '1' })
  const caller = await api.as('file:upload')
  const exact = Buffer.alloc(1024 * 1024, 'a')
  await upload(api, { file: exact })
  expect(await caller.post('/file', form({ file: Buffer.concat([exact, exact.subarray(0, 1)]) }))).toFailWith(
    'payload_too_large',
  )
  expect(await caller.post('/file', form({ file: Buffer.alloc(20 * 1024 * 1024) }))).toFailWith('payload_too_large')
  expect((await storedOf(api)).filter((file) => file.includes('incoming'))).toEqual([])
})

test('a missing blob folder is not reported as an unreachable database', async () => {
  const api = await startTestApi()
  const folder = path.join(api.config.DATA_DIR, 'blobs')
  await rename(folder, `${folder}.away`)
  const reply = await api.as('file:upload').post('/file', form({ file: Buffer.from('text') }))
  await rename(`${folder}.away`, folder)
  expect(reply).toFailWith('unavailable')
  expect(reply.body.message).toContain('file storage')
  expect(reply.headers.get('retry-after')).toBe('60')
  await upload(api, { file: Buffer.from('text') })
})

test('a form with thousands of parts is refused', async () => {
  const api = await startTestApi()
  const part = filePart('Content-Disposition: form-data; name="x"', 'y')
  expect(await send(api, raw(part.repeat(3000) + END))).toFailWith('payload_too_large')
})

test('an aborted upload leaves nothing behind', async () => {
  const api = await startTestApi({ MAX_UPLOAD_MB: '7' })
  const app = await api.install(['file:upload'])
  const token = await api.getToken(app, { install_id: app.install_id })
  const request = openRequest(`${api.origin}/api/apps/v1/file`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  })
  request.on('error', () => {})
  request.write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`)
  request.write(randomBytes(500_000))
  await expect.poll(async () => (await storedOf(api)).length).toBe(1)
  request.destroy()
  await expect.poll(async () => (await storedOf(api)).length).toBe(0)
})

test.each([
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\Ada\\tasse.png', 'tasse.png'],
  ['صورة القهوة.png', 'صورة القهوة.png'],
  ['a\u202egnp.exe', 'agnp.exe'],
  ['../..', 'file'],
  ['the "best"\r\n.png', 'the "best".png'],
  [`${'é'.repeat(400)}.jpeg`, `${'é'.repeat(250)}.jpeg`],
])('a file called %s is kept as %s', async (name, kept) => {
  const api = await startTestApi()
  const file = await upload(api, { file: { name, bytes: Buffer.from('abc') } })
  expect(file.name).toBe(kept)
})

test('a file name of a megabyte, one in RFC 5987 encoding and none at all are accepted', async () => {
  const api = await startTestApi()
  const named = async (parameters: string) => {
    const part = filePart(`Content-Disposition: form-data; name="file"${parameters}`)
    const reply = await send(api, raw(part + END))
    expect(reply.status, reply.text).toBe(201)
    return reply.body.data.file.name
  }
  expect(await named(`; filename="${'n'.repeat(1024 * 1024)}.txt"`)).toHaveLength(255)
  const tea = "; filename*=UTF-8''%D8%B4%D8%A7%D9%8A.txt"
  expect(await named(tea)).toBe('شاي.txt')
  expect(await named(`; filename="tea.txt"${tea}`)).toBe('شاي.txt')
  expect(await named(`${tea}; filename="tea.txt"`)).toBe('شاي.txt')
  expect(await named(`; filename="tea.txt"; filename*=iso-8859-1'fr'th%E9.txt`)).toBe('thé.txt')
  expect(await named(`; filename="tea.txt"; filename*=UTF-8''%D8.txt`)).toBe('tea.txt')
  expect(await named(`; filename="a; filename*=UTF-8''b.txt"`)).toBe("a; filename*=UTF-8''b.txt")
  expect(await named('; filename="a\\"b.txt"')).toBe('a"b.txt')
  expect(await named('')).toBe('file')
})

const zip = Buffer.from('UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==', 'base64')

test.each([
  ['hello', 'text/plain'],
  ['a,b,c\n1,2,3\n4,5,6\n', 'text/csv'],
  ['{"a": [1, 2]}', 'application/json'],
  ['<?xml version="1.0"?><!-- x --><svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
  ['  <!DOCTYPE html><p>hi', 'text/html'],
  ['<script>alert(1)</script>', 'text/html'],
  ['<?xml version="1.0"?><note/>', 'application/xml'],
  ['<?xml version="1.0"?>\n<table><row/></table>', 'application/xml'],
  ['<?xml version="1.0"?><title>Prices</title>', 'application/xml'],
  ['<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', 'text/html'],
  ['%PDF-1.7\n%âãÏÓ\n', 'application/pdf'],
  [zip, 'application/zip'],
  [Buffer.from([0, 1, 2, 3, 250, 251]), 'application/octet-stream'],
])('the type of %o is %s by its bytes, whatever it is called', async (bytes, type) => {
  const api = await startTestApi()
  const file = await upload(api, { file: { name: 'x.png', type: 'image/png', bytes: Buffer.from(bytes) } })
  expect(file).toMatchObject({ mime_type: type, thumbnail: null, size: Buffer.from(bytes).length })
})

const noise = (width: number, height: number) =>
  sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })

const refusedPictures: [string, () => Promise<Buffer>][] = [
  ['a PNG of 900 million pixels', async () => bomb()],
  ['a GIF of 2,000 frames', async () => manyFrames(2000)],
  ['an AVIF of 9.3 million pixels', () => largeAvif(3100, 3000)],
  ['a JPEG cut short', async () => (await noise(800, 600).jpeg().toBuffer()).subarray(0, 100_000)],
  ['a PNG cut short', async () => (await noise(400, 300).png().toBuffer()).subarray(0, 100_000)],
  ['a WebP cut short', async () => (await noise(400, 300).webp().toBuffer()).subarray(0, 20_000)],
  ['a GIF that is also an archive', async () => Buffer.concat([await picture('gif'), zip])],
  [
    'a JPEG that is also a page',
    async () => Buffer.concat([await picture('jpeg'), Buffer.from('<ScRiPt >x</script>')]),
  ],
  [
    'a PNG that is also a PDF',
    async () => {
      const png = await picture()
      const comment = chunk('tEXt', Buffer.from('c\0%PDF-1.4\n1 0 obj'))
      return Buffer.concat([png.subarray(0, 33), comment, png.subarray(33)])
    },
  ],
  [
    'a GIF that is also a script',
    async () => Buffer.concat([Buffer.from('GIF89a/*'), (await picture('gif')).subarray(8)]),
  ],
  ['a JPEG that is only a header', async () => Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
]

test.each(refusedPictures)('%s is refused', async (_what, make) => {
  const api = await startTestApi()
  const bytes = await make()
  const reply = await api.as('file:upload').post('/file', form({ file: { name: 'a.png', bytes } }))
  expect(reply).toBeRefused(422, 'file')
  expect(await storedOf(api)).toEqual([])
})

test('a GIF of many frames and a large photograph are accepted', async () => {
  const api = await startTestApi()
  await upload(api, { file: manyFrames(500) })
  const large = await sharp({ create: { width: 8160, height: 6144, channels: 3, background: '#fff' } })
    .jpeg()
    .toBuffer()
  const file = await upload(api, { file: large })
  const { width, height } = await sharp(await (await fetch(file.thumbnail)).arrayBuffer()).metadata()
  expect({ width, height }).toEqual({ width: 320, height: 241 })
})

test('the error for an AVIF over its limit names that limit', async () => {
  const api = await startTestApi()
  const caller = await api.as('file:upload')
  const reply = await caller.post('/file', form({ file: await largeAvif(3100, 3000) }))
  expect(reply.body.errors.file).toEqual(['must have at most 9 million pixels: this one is 3100 x 3000'])
})

test('a store with many pictures delays only itself, and gets 503 when too many wait', async () => {
  const [busy, other] = [await startTestApi(), await startTestApi()]
  const bytes = await picture()
  let end = () => {}
  const decoding = new Promise<void>((resolve) => {
    end = resolve
  })
  const jobs = Array.from({ length: 31 }, () => decodeInTurn(busy.store.id, () => decoding))
  try {
    expect((await upload(other, { file: bytes })).mime_type).toBe('image/png')
    const caller = await busy.as('file:upload')
    const refused = await caller.post('/file', form({ file: bytes }))
    expect(refused).toFailWith('unavailable')
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await storedOf(busy)).toEqual([])
    expect((await caller.post('/file', form({ file: Buffer.from('no picture') }))).status).toBe(201)
  } finally {
    end()
    await Promise.all(jobs)
  }
  expect((await upload(busy, { file: bytes })).mime_type).toBe('image/png')
})

test('a thumbnail is rotated upright and has no location', async () => {
  const api = await startTestApi()
  const bytes = await sharp({ create: { width: 600, height: 300, channels: 3, background: '#fff' } })
    .withExif({ IFD0: { Copyright: 'Ada' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '36/1 48/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const file = await upload(api, { file: bytes })
  const response = await fetch(file.thumbnail)
  expect(response.headers.get('content-type')).toBe('image/webp')
  const thumbnail = await sharp(await response.arrayBuffer()).metadata()
  expect(thumbnail).toMatchObject({ format: 'webp', width: 160, height: 320 })
  expect(thumbnail.exif).toBeUndefined()
})

test('a small picture is not enlarged, and transparency is kept', async () => {
  const api = await startTestApi()
  const bytes = await sharp({ create: { width: 20, height: 10, channels: 4, background: '#ff000080' } })
    .png()
    .toBuffer()
  const file = await upload(api, { file: bytes })
  const thumbnail = await sharp(await (await fetch(file.thumbnail)).arrayBuffer()).metadata()
  expect(thumbnail).toMatchObject({ width: 20, height: 10, hasAlpha: true })
})
