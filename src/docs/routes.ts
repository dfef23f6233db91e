import type { AddressInfo } from 'node:net'
import Type from 'typebox'
import { notFound } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { relayBody } from '../http/relay.ts'
import { errors } from '../http/schemas.ts'
import type { Parts } from '../parts.ts'
import { writeDocument } from './document.ts'
import { forPage } from './for-page.ts'
import { PAGE_POLICY, pageHtml } from './page.ts'
import { scalarScript } from './scalar.ts'

const config = { access: 'open', quiet: true } as const

const contractRoute = {
  config,
  schema: { response: { 200: Type.Object({ openapi: Type.String() }), ...errors } },
}

const HARMLESS = {
  'Content-Security-Policy': PAGE_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
}

const once = <T>(make: () => T) => {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The contract to read for machines, and for people. */
export const docsRoutes = (app: Api, { config: { baseUrl }, demo }: Parts) => {
  // Port 0 is any free one: which, is known only when somebody asks.
  const address = () => baseUrl.replace(/:0(?=\/)/, `:${(app.server.address() as AddressInfo | null)?.port ?? 0}`)
  const contract = once(() => JSON.stringify(writeDocument(app.routeTable, { baseUrl: address() })))
  const shown = once(() => JSON.stringify(forPage(writeDocument(app.routeTable, { baseUrl: address(), demo }))))

  app.get('/openapi.json', contractRoute, async (_request, reply) => relayBody(reply, contract()))

  // What the page shows has hints for it, and the credentials of the demo store.
  app.get('/docs/openapi.json', contractRoute, async (_request, reply) => relayBody(reply, shown()))

  app.get('/docs', { config }, async ({ url }, reply) => {
    // What the page refers to stands beside it.
    if (/^[^?]*\/(\?|$)/.test(url)) return reply.redirect('../docs', 308)
    const { name } = await scalarScript()
    return reply
      .headers({ ...HARMLESS, 'Cache-Control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(pageHtml(name, demo))
  })

  app.get(
    '/docs/:script',
    {
      // It is compressed already, once and for all.
      compress: false,
      config: { ...config, subject: 'script' },
      schema: {
        summary: 'The script of the page',
        params: Type.Object({ script: Type.String() }),
        response: { 200: Type.Unsafe<Buffer>({ type: 'string' }), ...errors },
      },
    },
    async ({ params, headers }, reply) => {
      const { name, encoded } = await scalarScript()
      if (params.script !== name) throw notFound('script')
      const accepted = headers['accept-encoding'] ?? ''
      const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : 'identity'
      if (encoding !== 'identity') reply.header('Content-Encoding', encoding)
      return reply
        .headers({ 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' })
        .header('X-Content-Type-Options', 'nosniff')
        .type('text/javascript; charset=utf-8')
        .send(encoded[encoding])
    },
  )
}
