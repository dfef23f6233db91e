import { createHash } from 'node:crypto'
import Fastify from 'fastify'
import type { EncodedBody } from '../core/http/encoded-body.ts'
import { etagOf } from '../core/http/encoded-body.ts'
import { once } from '../core/once.ts'

export interface Script {
  /** Contains a hash of the content, so it can be cached forever. */
  name: string
  body: EncodedBody
}

/** The package does not export the page's script, so it is fetched once from its plugin with an injected request. */
const readScript = async () => {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  const app = Fastify()
  await app.register(reference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
  const { statusCode, rawPayload } = await app.inject('/docs/js/scalar.js')
  await app.close()
  if (statusCode !== 200) throw new Error(`The script of the documents page answered ${statusCode}.`)
  return rawPayload
}

const load = async (): Promise<Script> => {
  const bytes = await readScript()
  const name = `scalar-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.js`
  return { name, body: { bytes, etag: etagOf(bytes) } }
}

/** Four megabytes that most processes never need, so they are loaded on first use. */
export const scalarScript = once(load)
