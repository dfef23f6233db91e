import { ApiError } from '../errors.ts'
import { digest } from '../http/relay.ts'

// Only PostgreSQL's own rendering puts bare quotes around `url`: inside a text of the shop they are escaped.
const SIGNED = /("url":"[^"?]*)\?expires=\d+&signature=([0-9a-f]+)"/
const EVERY_SIGNED = new RegExp(SIGNED, 'g')

/** Stays as it is while nothing about the product changes. The addresses of its files, which are signed anew now and then, do not count. */
const versionOf = (product: string) => digest(product.replace(EVERY_SIGNED, '$1"'))

/**
 * The version, and for those who ask whether what they hold is still good to show, how its addresses are signed: all of
 * them until the same time and with the same key, so that the first tells of all.
 */
export const productTag = (product: string) =>
  `"${versionOf(product)}.${SIGNED.exec(product)?.[2]?.slice(0, 16) ?? ''}"`

/** Refuses a change that was made for another state of the product than the one it would meet. */
export const requireVersion = (expected: string, product: string) => {
  const version = versionOf(product)
  const tags = expected.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (tags.some((tag) => tag === '*' || tag.startsWith(`"${version}.`))) return
  throw new ApiError('version_mismatch', 'The product has changed since it was read: read it again.')
}
