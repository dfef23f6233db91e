import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../config/config.ts'
import type { Api } from '../core/http/api.ts'
import { sendEncoded } from '../core/http/encoded-body.ts'
import { encodeJson, sendBody } from '../core/http/json-reply.ts'
import { errors } from '../core/input/schemas.ts'
import { once } from '../core/once.ts'
import type { DemoCredentials } from '../demo/credentials-file.ts'
import { notFound } from '../errors.ts'
import { buildDocument } from './build-document.ts'
import { publicAddress } from './index-routes.ts'
import { markdownDocuments } from './markdown.ts'
import { PAGE_POLICY, pageHtml } from './page.ts'
import { pageDocument } from './page-document.ts'
import { scalarScript } from './scalar.ts'

const config = { access: 'open', quiet: true } as const

const contractRoute = {
  config,
  schema: { response: { 200: Type.Object({ openapi: Type.String() }), ...errors } },
}

const PAGE_HEADERS = {
  'Content-Security-Policy': PAGE_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
}

const LOOPBACK_HOST = /^(localhost|[\w-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

/** Whether the request comes from a browser on this machine, under a local host name, and was not forwarded by a proxy. */
const isFromThisMachine = ({ headers }: FastifyRequest) =>
  LOOPBACK_HOST.test(headers.host ?? '') && FORWARDED.every((name) => headers[name] === undefined)

/** The OpenAPI document, and the documentation page. */
export const docsRoutes = (
  app: Api,
  { config: { baseUrl, origin }, demo }: { config: Config; demo?: DemoCredentials | undefined },
) => {
  const write = (demo?: DemoCredentials) => buildDocument(app, { baseUrl: publicAddress(app, baseUrl), demo })
  const encode = (value: unknown) => encodeJson([JSON.stringify(value)])
  const contract = once(async () => encode(write()))
  const page = once(async () => encode(pageDocument(write())))
  const pageWithDemo = once(async () => encode(pageDocument(write(demo))))

  app.get('/openapi.json', contractRoute, async (_request, reply) => sendBody(reply, await contract()))

  // The page's document has extensions and, on the operator's own machine, the credentials of the demo store.
  app.get('/docs/openapi.json', contractRoute, async (request, reply) =>
    sendBody(reply, await (demo && isFromThisMachine(request) ? pageWithDemo() : page())),
  )

  app.get('/docs', { config }, async (request, reply) => {
    const { url } = request
    // Relative to the page.
    if (/^[^?]*\/(\?|$)/.test(url)) return reply.redirect('../docs', 308)
    const { name } = await scalarScript()
    return reply
      .headers({ ...PAGE_HEADERS, 'Cache-Control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(pageHtml(name, isFromThisMachine(request) ? demo : undefined))
  })

  const markdown = once(async () => {
    const { index, full, pages } = markdownDocuments(write(), publicAddress(app, origin))
    const encode = (text: string) => encodeJson([text])
    return { index: await encode(index), full: await encode(full), pages }
  })
  const plain = { config, schema: { response: { 200: Type.String(), ...errors } } }
  const MARKDOWN = 'text/markdown; charset=utf-8'

  app.get('/llms.txt', plain, async (_request, reply) =>
    sendEncoded(reply.header('Cache-Control', 'no-cache'), MARKDOWN, (await markdown()).index),
  )
  app.get('/llms-full.txt', plain, async (_request, reply) =>
    sendEncoded(reply.header('Cache-Control', 'no-cache'), MARKDOWN, (await markdown()).full),
  )
  app.get<{ Params: { '*': string } }>(
    '/docs/*',
    { ...plain, config: { ...config, subject: 'page' } },
    async ({ params }, reply) => {
      const path = params['*']
      const text = path.endsWith('.md') ? (await markdown()).pages.get(path.slice(0, -'.md'.length)) : undefined
      if (text === undefined) throw notFound('page')
      return sendEncoded(reply.header('Cache-Control', 'no-cache'), MARKDOWN, await encodeJson([text]))
    },
  )

  app.get(
    '/docs/:script',
    {
      config: { ...config, subject: 'script' },
      schema: {
        summary: 'The script of the page',
        params: Type.Object({ script: Type.String() }),
        response: { 200: Type.Unsafe<Buffer>({ type: 'string' }), ...errors },
      },
    },
    async ({ params }, reply) => {
      const { name, body } = await scalarScript()
      if (params.script !== name) throw notFound('script')
      reply.headers({ 'Cache-Control': 'public, max-age=31536000, immutable', 'X-Content-Type-Options': 'nosniff' })
      return sendEncoded(reply, 'text/javascript; charset=utf-8', body)
    },
  )
}
