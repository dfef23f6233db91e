import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { runBulk } from '../../../tests/support/bulk.ts'
import { form } from '../../../tests/support/uploads.ts'
import { extendedName, fileName } from '../http/file-name.ts'
import { emailKey } from './email.ts'
import { foldText, normalizeText, slugify } from './normalize-text.ts'
import { phoneDigits } from './phone.ts'

/** Marks of two classes, which normalisation must sort. */
const marks = (count: number) => '\u0334\u0301'.repeat(count / 2)
/** Letters until they are normalised. */
const hidden = (count: number) => '\uff9e\u0334'.repeat(count / 2)
const astral = (count: number) => '\u{1d165}\u{1d167}'.repeat(count / 2)

const MANY = 400_000

test('text is normalised in linear time, whatever combining marks it has', () => {
  for (const run of [marks(MANY), hidden(MANY), astral(MANY)]) {
    expect(normalizeText(`e${run}x`).length).toBeLessThan(80)
    expect(foldText(`e${run}x`)).toMatch(/^e.{0,31}x$/u)
    expect(slugify(`${run}X`)).toBe('x')
    expect(emailKey(`Q${run}@x.example`).startsWith('q')).toBe(true)
    expect(phoneDigits(`1${run}2`)).toBe('12')
    expect(fileName(`${run}.png`).endsWith('.png')).toBe(true)
  }
})

test('runs of combining marks that a language may need are kept as they are', () => {
  for (const text of ['e\u0301', 'שָׁלוֹם', 'ệ', `e${'\u0301'.repeat(30)}`, '👩‍🚀️', 'กำ้'])
    expect(normalizeText(text)).toBe(text.normalize('NFC'))
})

test('a run of more than 30 combining marks is refused with a message, in text of any length', async () => {
  const api = await startTestApi()
  const all = api.as()
  const message = ['must not have more than 30 combining marks in a row']
  const zalgo = `a${marks(60_000)}`
  for (const [path, body, field] of [
    ['/policy', { title: 'Terms', type: 'terms', content: zalgo }, 'content'],
    ['/product', { title: `a${marks(32)}` }, 'title'],
    ['/product', { title: 'Mug', description: zalgo }, 'description'],
    ['/customer', { email: `a${marks(32)}@example.com` }, 'email'],
  ] as const) {
    const reply = await all.post(path, body)
    expect(reply, path).toBeRefused(422, field)
    expect(reply.body.errors[field]).toEqual(expect.arrayContaining(message))
  }
  const kept = await all.post('/product', { title: `e${marks(30)}` })
  expect(kept.status, kept.text).toBe(201)
  expect((await all.get(`/product?title=${encodeURIComponent(`e${marks(32)}`)}`)).status).toBe(422)
  const bytes = Buffer.from('plain text')
  const uploaded = await all.post('/file', form({ file: { name: `a${marks(4_000)}.txt`, bytes } }))
  expect(uploaded.status, uploaded.text).toBe(201)
})

test('text that is too long is refused before it is normalised or matched with a pattern', async () => {
  const api = await startTestApi()
  const all = api.as()
  const long = `http://a/${'{tracking_number}'.repeat(200_000)} `
  expect(await all.post('/shipping-carrier', { code: 'post', name: 'Post', tracking_url: long })).toBeRefused(
    422,
    'tracking_url',
  )
  const title = `a${marks(500_000)}`
  const reply = await all.post('/product', { title, slug: `${'-'.repeat(500_000)}!`, sku: title })
  expect(Object.keys(reply.body.errors).sort()).toEqual(['sku', 'slug', 'title'])
  expect(reply.body.errors.title).toEqual(['must be a string of 1 to 255 characters'])
  // A title that fits once it is composed is accepted, as macOS writes it.
  expect((await all.post('/product', { title: 'ế'.normalize('NFD').repeat(255) })).status).toBe(201)
  expect(await all.post('/product', { title: 'ế'.normalize('NFD').repeat(256) })).toBeRefused(422, 'title')
  expect((await all.post('/product', { title: '🫖'.repeat(255) })).status).toBe(201)
  expect(await all.post('/product', { title: '🫖'.repeat(256) })).toBeRefused(422, 'title')
})

test('a line of a bulk job finds its resource without normalising marks at length', async () => {
  const api = await startTestApi()
  const text = `a${marks(200_000)}`
  for (const [query, line] of [
    ['resource=customer&mode=upsert&match=email', { email: text }],
    ['resource=category&mode=upsert&match=name', { name: text }],
    ['resource=product&mode=upsert&match=slug', { slug: text, title: 'Mug' }],
  ] as const) {
    const { results } = await runBulk(api.as(), query, [line])
    expect(results[0]?.status, query).toBe('failed')
  }
})

test('a file name with quotes that are never closed is read in linear time', () => {
  expect(extendedName(`form-data; name="f"; filename="${'\\"'.repeat(500_000)}`)).toBeUndefined()
  expect(extendedName(`form-data; filename="a\\"; filename*=x"; filename*=UTF-8''b.png`)).toBe('b.png')
})

test('the tracking page of a carrier needs the number behind its host', async () => {
  const api = await startTestApi()
  const set = (n: number, tracking_url: string) =>
    api.as().post('/shipping-carrier', { code: `c${n}`, name: 'Post', tracking_url })
  const right = ['https://a.example/{tracking_number}', 'http://a{tracking_number}', 'https://a/x/{tracking_number}?y']
  for (const [n, url] of right.entries()) expect((await set(n, url)).status, url).toBe(201)
  for (const url of [
    'https://a.example/',
    'https://{tracking_number}',
    'ftp://a/{tracking_number}',
    'https://a/{tracking_number} ',
    'https://a}/{tracking_number}',
  ])
    expect(await set(9, url)).toBeRefused(422, 'tracking_url')
})
