import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { expectTextsToFitRows } from '../../../tests/support/kept-texts.ts'
import { randomRuns } from '../../../tests/support/random-runs.ts'

/** A product without ids, to compare with. */
interface Note {
  title: string
  status: string
  description: string | null
  properties: { name: string; value: string }[]
  options: { name: string; values: string[] }[]
  variants: { values: string[]; price: number; sku: string | null; quantity: number }[]
}

interface Step {
  /** The request body, with the ids of the product as last read. */
  body: object
  /** The expected product; undefined if the request must be refused. */
  note: Note | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: replies are checked against their schema by the client.
type Read = any

const at = <T>(list: T[], n: number): T => list[n % list.length] as T

const named = (note: Note, values: string[]) =>
  values.map((value, n) => ({ order: n, value, option: note.options[n]?.name }))

const fields =
  (changes: Partial<Note>) =>
  (note: Note): Step => ({ body: changes, note: { ...note, ...changes } })

const addVariant =
  (picks: number[], price: number, quantity: number) =>
  (note: Note): Step => {
    const values = note.options.map((option, n) => at(option.values, picks[n] ?? 0))
    const repeated = note.variants.some((variant) => variant.values.join() === values.join())
    const variant = { values, price, sku: null, quantity }
    return {
      body: { variants: [{ price, quantity, values: named(note, values) }] },
      note: repeated ? undefined : { ...note, variants: [...note.variants, variant] },
    }
  }

const editVariant =
  (pick: number, price: number, sku: string | null, delta: number) =>
  (note: Note, read: Read): Step => {
    const index = pick % note.variants.length
    const before = at(note.variants, index)
    const change = { price, sku, quantity_delta: delta }
    const after = { ...before, price, sku, quantity: before.quantity + delta }
    const entry =
      note.options.length > 0 ? { variants: [{ id: read.variants[index].id, ...change }] } : { default: change }
    const refused = delta < 0 && after.quantity < 0
    return { body: entry, note: refused ? undefined : { ...note, variants: note.variants.with(index, after) } }
  }

const removeVariant =
  (pick: number) =>
  (note: Note, read: Read): Step => {
    const index = pick % note.variants.length
    const { id } = note.options.length > 0 ? read.variants[index] : read.default
    const left = note.variants.toSpliced(index, 1)
    return {
      body: { variants: [{ id, _delete: true }] },
      note: left.length > 0 ? { ...note, variants: left } : undefined,
    }
  }

const nameValue =
  (option: number, value: number, text: string, adding: boolean) =>
  (note: Note, read: Read): Step => {
    if (note.options.length === 0) return { body: {}, note }
    const o = option % note.options.length
    const { values } = at(note.options, o)
    const v = value % values.length
    const old = values[v] as string
    const known = values.includes(text)
    const change = adding ? { value: text } : { id: read.options[o].values[v].id, value: text }
    const renamed = adding ? (known ? values : [...values, text]) : values.with(v, text)
    const variants = adding
      ? note.variants
      : note.variants.map((variant) =>
          variant.values[o] === old ? { ...variant, values: variant.values.with(o, text) } : variant,
        )
    return {
      body: { options: [{ id: read.options[o].id, values: [change] }] },
      note:
        !adding && known && text !== old
          ? undefined
          : { ...note, variants, options: note.options.with(o, { ...at(note.options, o), values: renamed }) },
    }
  }

const addOptions =
  (count: number, price: number) =>
  (note: Note): Step => {
    if (note.options.length > 0) return { body: {}, note }
    const options = Array.from({ length: count }, (_, n) => ({ name: `Option ${n}`, values: ['a', 'b', 'c'] }))
    const variants = ['a', 'b'].map((value) => ({ values: options.map(() => value), price, sku: null, quantity: 0 }))
    return {
      body: {
        options: options.map(({ name, values }, order) => ({
          order,
          name,
          values: values.map((value, order) => ({ order, value })),
        })),
        variants: variants.map(({ values }) => ({ price, values: named({ ...note, options }, values) })),
      },
      note: { ...note, options, variants },
    }
  }

const removeOptions =
  (price: number) =>
  (note: Note, read: Read): Step => ({
    body: { options: read.options.map(({ id }: Read) => ({ id, _delete: true })), default: { price } },
    note: { ...note, options: [], variants: [{ ...at(note.variants, 0), values: [], price }] },
  })

const price = fc.integer({ min: 0, max: 99_999_999 }).map((thousandths) => thousandths / 1000)
const small = fc.nat(20)
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((text) => /\S/.test(text) && !text.includes('\0'))
  .map((text) => text.normalize('NFC'))
const status = fc.constantFrom('active', 'inactive')

const step: fc.Arbitrary<(note: Note, read: Read) => Step> = fc.oneof(
  fc.record({ title: text, status, description: fc.option(text) }, { requiredKeys: [] }).map(fields),
  fc.array(fc.record({ name: text, value: text }), { maxLength: 3 }).map((properties) => fields({ properties })),
  fc.tuple(fc.array(small, { maxLength: 3 }), price, small).map((given) => addVariant(...given)),
  fc.tuple(small, price, fc.option(text), fc.integer({ min: -5, max: 9 })).map((given) => editVariant(...given)),
  small.map(removeVariant),
  fc
    .tuple(small, small, fc.constantFrom('a', 'b', 'Größe', 'كبير', '大'), fc.boolean())
    .map((given) => nameValue(...given)),
  fc.tuple(fc.integer({ min: 1, max: 3 }), price).map((given) => addOptions(...given)),
  price.map(removeOptions),
)

const expectedFrom = (read: Read): Note => {
  const variants = read.options.length > 0 ? read.variants : [read.default]
  return {
    title: read.title,
    status: read.status,
    description: read.description,
    properties: read.properties.map(({ name, value }: Read) => ({ name, value })),
    options: read.options.map(({ name, values }: Read) => ({ name, values: values.map(({ value }: Read) => value) })),
    variants: variants.map(({ values, price, sku, quantity }: Read) => ({
      values: values.map(({ value }: Read) => value),
      price,
      sku,
      quantity,
    })),
  }
}

/** NFD, as some keyboards and file systems write it. Reads must return NFC. */
const decomposed = <T>(body: T): T => JSON.parse(JSON.stringify(body).normalize('NFD'))

const run = async (api: TestApi, title: string, steps: ((note: Note, read: Read) => Step)[]) => {
  const app = await api.as()
  let read = (await app.post('/product', decomposed({ title }))).body.data.product
  let note: Note = {
    title,
    status: 'active',
    description: null,
    properties: [],
    options: [],
    variants: [{ values: [], price: 0, sku: null, quantity: 0 }],
  }
  expect(expectedFrom(read)).toEqual(note)
  for (const take of steps) {
    const { body, note: next } = take(note, read)
    const reply = await app.post(`/product/${read.id}/update`, decomposed(body))
    expect(reply.status, `${JSON.stringify(body)} ${reply.text}`).toBe(next ? 200 : 422)
    note = next ?? note
    const now = (await app.get(`/product/${read.id}`)).body.data.product
    if (next) expect(reply.body.data.product).toEqual(now)
    else expect(now).toEqual(read)
    read = now
    expect(expectedFrom(read)).toEqual(note)
    expect(read.default).toEqual(note.options.length > 0 ? read.variants[0] : read.default)
    for (const variant of [read.default, ...read.variants])
      expect(variant.title).toBe(variant.values.map(({ value }: Read) => value).join(' / ') || read.title)
  }
  await expectTextsToFitRows(api.db)
}

test('after any sequence of creations and updates, a read returns what was written', async () => {
  const api = await startTestApi()
  await fc.assert(
    fc.asyncProperty(text, fc.array(step, { minLength: 1, maxLength: 12 }), (title, steps) => run(api, title, steps)),
    { numRuns: randomRuns(10) },
  )
})
