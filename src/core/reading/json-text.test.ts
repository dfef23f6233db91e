import { type Static, Type } from 'typebox'
import { expect, expectTypeOf, test } from 'vitest'
import { hole, holes } from './holes.ts'
import { elementsOf, fieldsOf, withFields } from './json-parts.ts'
import { array, createRenderer, type JsonText, object, value } from './json-text.ts'

const Cup = Type.Object({
  id: Type.String(),
  price: Type.Number(),
  sku: Type.Union([Type.String(), Type.Null()]),
  status: Type.Union([Type.Literal('active'), Type.Literal('inactive')]),
  tags: Type.Array(Type.String()),
  note: Type.Optional(Type.String()),
})
type Cup = Static<typeof Cup>

const fields = { id: value('c1'), price: value(2.5), sku: value(null), status: value('active'), tags: value(['new']) }
const TEXT = '{"id":"c1","price":2.5,"sku":null,"status":"active","tags":["new"]}'

test('an object has the type of its schema: a field that is missing, unknown or of another type does not compile', () => {
  expect(object<Cup>(fields)).toBe(TEXT)
  expectTypeOf(object<Cup>(fields)).toEqualTypeOf<JsonText<Cup>>()
  const { price: _, ...rest } = fields
  // @ts-expect-error The price is missing.
  expect(object<Cup>(rest)).not.toContain('price')
  // @ts-expect-error Cups have no colour.
  expect(object<Cup>({ ...fields, colour: value('red') })).toContain('colour')
  // @ts-expect-error A price is a number.
  expect(object<Cup>({ ...fields, price: value('2.5') })).toContain('"2.5"')
  // @ts-expect-error Not every variant has a price.
  expect(object<Cup>({ ...fields, price: value(null as number | null) })).toContain('"price":null')
  // @ts-expect-error Any text might be no JSON.
  expect(object<Cup>({ ...fields, sku: 'C-1' })).toContain('C-1')
  // @ts-expect-error Nobody knows what this shows.
  expect(object(fields)).toBe(TEXT)
  // @ts-expect-error A cup is no list of cups.
  const cups: JsonText<Cup[]> = object<Cup>(fields)
  expect(cups).toBe(TEXT)
})

test('a hole fits everywhere; one that may be for nothing fits only where null does', () => {
  const sku = 's1' as string | null
  expect(object<Cup>({ ...fields, price: hole('price', 'p1'), sku: hole('sku', sku) })).toContain('price=p1')
  // @ts-expect-error There is not always a price.
  expect(object<Cup>({ ...fields, price: hole('price', null as string | null) })).toContain('"price":null')
  expectTypeOf(array([holes('cup', ['c1'])])).toExtend<JsonText<Cup[]>>()
})

test('a renderer writes the fields in the order of the schema', () => {
  const { note: _, ...properties } = Cup.properties
  const Plain = Type.Object(properties)
  type Plain = Static<typeof Plain>
  const writers = {
    tags: () => value(['new']),
    status: () => value('active'),
    sku: () => value(null),
    price: (_: string, price: number) => value(price),
    id: (id: string) => value(id),
  }
  expect(createRenderer<typeof Plain, [string, number]>(Plain, writers)('c1', 2.5)).toBe(TEXT)
  const { sku: _sku, ...some } = writers
  // @ts-expect-error The SKU is missing.
  expect(() => createRenderer<typeof Plain, [string, number]>(Plain, some)('c1', 2.5)).toThrow()
  expectTypeOf(createRenderer<typeof Plain, [string, number]>(Plain, writers)).returns.toEqualTypeOf<JsonText<Plain>>()
})

test('a text is divided at its own commas, whatever its strings and holes contain', () => {
  const tags = ['a,b', '"}', '\\', '{[', 'ü\u0001,']
  const cups = [object<Cup>({ ...fields, tags: value(tags) }), holes('cup', ['c2', 'c3'])]
  const text = array<Cup>(cups)
  expect(elementsOf(text)).toEqual(cups)
  expect(fieldsOf(cups[0] as JsonText<Cup>)).toEqual({ ...fields, tags: JSON.stringify(tags) })
  expect(elementsOf(value([]))).toEqual([])
  expect(fieldsOf(value({}))).toEqual({})
  const text2 = '{"a":{"x":[1,{"y":2}]},"b, \\"c":[[],{}],"d":\u0001file?e,f\u0001}' as JsonText<
    Record<string, unknown>
  >
  expect(fieldsOf(text2)).toEqual({ a: '{"x":[1,{"y":2}]}', 'b, \\"c': '[[],{}]', d: '\u0001file?e,f\u0001' })
})

test('fields of a text are replaced where they are, and others are added at the end', () => {
  const text = object<Cup>(fields)
  expect(withFields<Cup, 'price' | 'tags'>(text, { tags: value([]), price: value(3) })).toBe(
    TEXT.replace('2.5', '3').replace('["new"]', '[]'),
  )
  type Sold = Cup & { at: string }
  const sold = withFields<Sold, 'at'>(text, { at: value('now') })
  expect(sold).toBe(`${TEXT.slice(0, -1)},"at":"now"}`)
  expectTypeOf(sold).toEqualTypeOf<JsonText<Sold>>()
  // @ts-expect-error A text that lacks other fields too.
  expect(withFields<Sold, 'at'>(value({ id: 'c1' }), { at: value('now') })).toContain('now')
})
