import type { ValidationErrors } from '../../errors.ts'
import { type ProductChanges, SHORTHAND } from './input.ts'

/** Moves the top-level shorthand fields to `default`. */
export const expandShorthand = <T extends ProductChanges>(body: T, errors: ValidationErrors): T => {
  const given = SHORTHAND.filter((field) => body[field] !== undefined)
  if (given.length === 0) return body
  for (const field of given) {
    const other = body.default?.[field]
    if (other !== undefined && other !== body[field]) errors.add(field, `must not differ from default.${field}`)
  }
  return { ...body, default: { ...body.default, ...Object.fromEntries(given.map((field) => [field, body[field]])) } }
}

const PRICE_WORDS = new Set(['price', 'prices', 'pricing', 'cost', 'amount'])

const isLikePrice = (path: string) => {
  const name = path.split('.').at(-1) ?? ''
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
  return words.some((word) => PRICE_WORDS.has(word))
}

/** Refuses an active product without a price if an ignored field looks like one, instead of selling it for nothing. */
export const refuseMisspeltPrice = (body: ProductChanges, ignored: readonly string[], errors: ValidationErrors) => {
  if (body.status === 'inactive') return
  const priced = [body, body.default, ...(body.variants ?? [])].some((input) => input?.price !== undefined)
  const meant = priced ? undefined : ignored.find(isLikePrice)
  if (meant === undefined) return
  const field = body.variants?.length ? `variants.${/^variants\.(\d+)\./.exec(meant)?.[1] ?? 0}.price` : 'default.price'
  errors.add(field, `is missing: ${meant} is not a field of a product`)
}
