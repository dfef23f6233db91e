import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { fillHoles, firstHole, hole, holes, type LoadTexts, type TextRequest } from './holes.ts'
import { array, object, value } from './json-text.ts'

type Shown = Record<string, unknown>

/** Loads each request by itself. */
const loadEach =
  (load: (request: TextRequest) => Awaited<ReturnType<LoadTexts>>[number]): LoadTexts =>
  async (requests) =>
    requests.map(load)

/** Loads from these texts and records each request. */
const loaderFrom = (texts: Record<string, Record<string, string>>) => {
  const calls: string[] = []
  const load = loadEach(({ kind, ids }) => {
    calls.push(`${kind} ${ids.toSorted().join()}`)
    const found = new Map(ids.flatMap((id) => (texts[kind]?.[id] === undefined ? [] : [[id, texts[kind][id]]])))
    return new Map([[kind, { texts: found, isComplete: false }]])
  })
  return { load, calls }
}

test('holes are filled at every level, with one load per kind and level', async () => {
  const { load, calls } = loaderFrom({
    product: { p: object<Shown>({ images: array([holes('file', ['a', 'b'])]), stock: hole('stock', 's') }) },
    file: { a: '"A"', b: '"B"' },
    stock: { s: '7' },
  })
  const texts = [object<Shown>({ product: hole('product', 'p') }), object<Shown>({ product: hole('product', 'p') })]
  const filled = '{"product":{"images":["A","B"],"stock":7}}'
  expect(await fillHoles(texts, load)).toEqual([filled, filled])
  expect(calls.toSorted()).toEqual(['file a,b', 'product p', 'stock s'])
})

test('a missing text is null in a single field and left out of a list', async () => {
  const { load } = loaderFrom({ file: { b: '"B"' } })
  const text = object<Shown>({
    none: hole('file', null),
    gone: hole('file', 'a'),
    first: firstHole('file', ['a', 'b']),
    nothing: firstHole('file', ['a']),
    many: array([holes('file', ['a', 'b', 'c'])]),
    empty: array([holes('file', [])]),
  })
  expect((await fillHoles([text], load))[0]).toBe(
    '{"none":null,"gone":null,"first":"B","nothing":null,"many":["B"],"empty":[]}',
  )
})

test('texts that were passed in are not loaded again, and ids missing from a complete set become null', async () => {
  const { load, calls } = loaderFrom({ variant: { w: hole('stock', 'w') }, stock: { w: '5' } })
  const stock = { texts: new Map([['v', '3']]), isComplete: true }
  const variant = { texts: new Map([['v', hole('stock', 'v')]]), isComplete: false }
  const fillings = new Map([
    ['stock', stock],
    ['variant', variant],
  ])
  expect(await fillHoles([hole('variant', 'v'), hole('stock', 'gone')], load, fillings)).toEqual(['3', 'null'])
  expect(calls).toEqual([])
  expect(await fillHoles([array([holes('variant', ['v', 'w'])])], load, fillings)).toEqual(['[3,5]'])
  expect(calls).toEqual(['variant w', 'stock w'])
})

test('texts that come with a loaded one are not loaded again, nor are ids it shows to be missing', async () => {
  const calls: string[] = []
  const page = object<Shown>({ stock: hole('stock', 's'), gone: hole('stock', 'gone') })
  const load = loadEach(({ kind }) => {
    calls.push(kind)
    return new Map([
      ['page', { texts: new Map([['p', page]]), isComplete: false }],
      ['stock', { texts: new Map([['s', '3']]), isComplete: true }],
    ])
  })
  expect(await fillHoles([hole('page', 'p')], load)).toEqual(['{"stock":3,"gone":null}'])
  expect(calls).toEqual(['page'])
})

test('kinds that contain each other are an error, not an endless loop', async () => {
  let turn = 0
  const load = loadEach(
    ({ kind, ids }) =>
      new Map([[kind, { texts: new Map(ids.map((id) => [id, hole('file', String(++turn))])), isComplete: false }]]),
  )
  await expect(fillHoles([hole('file', 'a')], load)).rejects.toThrow('contain each other')
})

test('a reply that repeats a few texts too often is rejected as too large', async () => {
  const { load } = loaderFrom({ product: { p: value('x'.repeat(2 ** 20)) } })
  await expect(fillHoles(Array(40).fill(hole('product', 'p')), load)).rejects.toThrow('more than')
})

test('strings are escaped as PostgreSQL does, and no stored text is mistaken for a hole', async () => {
  const { db } = await startTestApi()
  const odd = ['\u0001product=p\u0001', '\u0000', '"\\/\b\f\n\r\t\u001f\u007f\u2028é متجر 🫖']
  const texts = [...odd, ...fc.sample(fc.string({ unit: 'binary' }), 200)].map((text) =>
    text.replaceAll('\0', '').toWellFormed(),
  )
  const { rows } = await sql<{ json: string }>`
    select to_json(t)::text as json from unnest(${texts}::text[]) with ordinality x (t, n) order by n`.execute(db)
  expect(texts.map(value)).toEqual(rows.map(({ json }) => json))
  const { load, calls } = loaderFrom({})
  expect(await fillHoles(texts.map(value), load)).toEqual(texts.map(value))
  expect(calls).toEqual([])
})
