import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Fastify from 'fastify'

export interface Script {
  /** Changes with the bytes: what is kept under this name never goes stale. */
  name: string
  encoded: Record<'br' | 'gzip' | 'identity', Buffer>
}

/** The package keeps the page's script inside its plugin: so it is asked for it, once, the way a browser would. */
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
  const identity = await readScript()
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    promisify(gzip)(identity),
  ])
  const name = `scalar-${createHash('sha256').update(identity).digest('hex').slice(0, 16)}.js`
  return { name, encoded: { br, gzip: zipped, identity } }
}

let loaded: Promise<Script> | undefined

/** Four megabytes that most processes never need: read when the first reader comes. */
export const scalarScript = () => {
  loaded ??= load()
  loaded.catch(() => {
    loaded = undefined
  })
  return loaded
}
