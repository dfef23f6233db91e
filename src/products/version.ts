import { createHash } from 'node:crypto'
import { ApiError } from '../errors.ts'

// Only PostgreSQL's own rendering puts bare quotes around `url`: inside a text of the shop they are escaped.
const SIGNED = /("url":"[^"?]*)\?expires=\d+&signature=[0-9a-f]+"/g

const hash = (text: string) => createHash('sha1').update(text).digest('base64url')

/** Stays as it is while nothing about the product changes. The addresses of its files, which are signed anew now and then, do not count. */
const versionOf = (product: string) => hash(product.replace(SIGNED, '$1"'))

/** The version, and for those who ask whether what they hold is still good to show, the text down to its addresses. */
export const productTag = (product: string) => `"${versionOf(product)}.${hash(product)}"`

/** Refuses a change that was made for another state of the product than the one it would meet. */
export const requireVersion = (expected: string, product: string) => {
  const version = versionOf(product)
  const tags = expected.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (tags.some((tag) => tag === '*' || tag.startsWith(`"${version}.`))) return
  throw new ApiError('version_mismatch', 'The product has changed since it was read: read it again.')
}
