import { SHORTHAND } from './input.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => value !== null && typeof value === 'object' && !Array.isArray(value)

/** A file is read as an object and written as its id. */
const nameFiles = (input: Json) => {
  for (const field of ['image', 'file']) {
    const file = input[field]
    if (isObject(file) && typeof file.id === 'string') input[field] = file.id
  }
}

const REPEATED = [...SHORTHAND, 'file']

/** As read, `default` repeats a variant: it has its id, or, where ids were taken out, says nothing that the first does not. */
const repeatsVariant = (single: Json, first: unknown) =>
  typeof single.id === 'string' ||
  (isObject(first) &&
    single.quantity_delta === undefined &&
    REPEATED.every((field) => single[field] === undefined || single[field] === first[field]))

/**
 * Brings a product that was read, and is sent back whole, into the shape of the input, before that is checked. What
 * the server computed is taken out and named among the ignored.
 */
export const acceptReadProduct = (body: unknown, ignored: string[]) => {
  if (!isObject(body)) return
  const { default: single, variants } = body
  const listed = Array.isArray(variants) ? variants : []
  for (const input of [single, ...listed]) if (isObject(input)) nameFiles(input)
  if (listed.length === 0 || !isObject(single) || !repeatsVariant(single, listed[0])) return
  delete body.default
  ignored.push('default')
}
