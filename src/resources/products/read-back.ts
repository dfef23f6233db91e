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

/**
 * In a product as read, `default` repeats a variant: it has the same id or, if ids were removed, the same content as
 * the first.
 */
const repeatsVariant = (single: Json, first: unknown) =>
  typeof single.id === 'string' ||
  (isObject(first) &&
    single.quantity_delta === undefined &&
    REPEATED.every((field) => single[field] === undefined || single[field] === first[field]))

/**
 * Converts a product as it was read into the shape of the input. Computed fields are removed and reported as ignored.
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
