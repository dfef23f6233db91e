import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../config/config.ts'
import type { Api } from '../core/http/api.ts'
import { chooseEncoding } from '../core/http/compression.ts'
import { matchesEtag } from '../core/http/encoded-body.ts'
import { errors } from '../core/input/schemas.ts'
import { once } from '../core/once.ts'
import type { Db } from '../core/storage/database.ts'
import { ApiError, notFound } from '../errors.ts'
import { publicOrigin, transportOf } from '../resources/accounts/transport.ts'
import { findRegisteredApp } from '../resources/apps/queries.ts'
import { CONSOLE_API } from './same-origin.ts'

interface PageServices {
  config: Config
  db: Db
}

const FOLDER = new URL('../../dist/console/', import.meta.url)

/** The built files by name, with their type and encodings. Written by scripts/build-console.mjs. */
interface Manifest {
  shell: string
  files: Record<string, { type: string; encodings: ('br' | 'gzip')[] }>
}

const SUFFIX = { br: '.br', gzip: '.gz', identity: '' }

const manifest = once(() =>
  readFile(new URL('files.json', FOLDER), 'utf8')
    .then((text) => JSON.parse(text) as Manifest)
    .catch((error) => {
      throw new ApiError('unavailable', 'The console is not built. Run: npm run build', { cause: error })
    }),
)

/** Where a page shows an app in a frame, or posts to it. */
type AppDoor = Partial<Record<'frame-src' | 'form-action', string>>

/**
 * Allows only this origin's scripts and styles, nothing from other origins, and no text as markup or code. The page that
 * opens an app reaches that app.
 */
const pagePolicy = (origin: string, door: AppDoor = {}) => {
  const files = `'self' blob: data: ${origin}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${files}`,
    `media-src ${files}`,
    "connect-src 'self'",
    `frame-src ${door['frame-src'] ?? "'none'"}`,
    `form-action ${door['form-action'] ?? "'none'"}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}

/** URLs in the shell are absolute, because it is sent for pages at every depth. */
const shellHtml = async (folder: string) => {
  const { shell } = await manifest()
  return shell.replaceAll('="./', `="${folder}/`).replace('data-base=""', `data-base="${folder}"`)
}

const OPENED = /^\/console\/s\/[^/?]+\/apps\/([^/?]+)\/open(?:\?|$)/

/** An app whose page has our own address is shown nowhere: there, a frame would have our cookies and our rights. */
const doorOf = async (db: Db, { url }: FastifyRequest, ours: readonly string[]): Promise<AppDoor> => {
  const [, clientId] = OPENED.exec(url) ?? []
  const app = clientId && (await findRegisteredApp(db, decodeURIComponent(clientId)))
  if (!app || app.disabled) return {}
  const { embed_url, url: address } = app.manifest
  const { origin } = new URL(embed_url ?? address)
  if (ours.includes(origin)) return {}
  return { [embed_url ? 'frame-src' : 'form-action']: origin }
}

const sendShell = async (reply: FastifyReply, { config, db }: PageServices) => {
  const { request } = reply
  const html = await shellHtml(transportOf(request, config).cookiePath)
  const { origin } = new URL(publicOrigin(request, config))
  const policy = pagePolicy(origin, await doorOf(db, request, [origin, transportOf(request, config).origin]))
  // A kept page has the policy that it was sent with.
  const etag = `"${createHash('sha256').update(html).update(policy).digest('base64url').slice(0, 27)}"`
  reply.headers({
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': 'no-cache',
    ETag: etag,
  })
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type('text/html; charset=utf-8').send(html)
}

/** Serves the browser application. File names come from the manifest, so no path from a request reaches the disk. */
export const pageRoutes = (app: Api, services: PageServices) => {
  const route = { config: { access: 'open', quiet: true }, compress: false, schema: { response: errors } } as const

  app.get('/console', route, async (_request, reply) => sendShell(reply, services))

  app.get('/console/*', route, async ({ url }, reply) => {
    if (url.startsWith(CONSOLE_API)) throw new ApiError('not_found')
    return sendShell(reply, services)
  })

  app.get(
    '/console/assets/:name',
    {
      ...route,
      config: { ...route.config, subject: 'asset' },
      schema: {
        params: Type.Object({ name: Type.String() }),
        response: { 200: Type.Unsafe<Buffer>({ type: 'string' }), ...errors },
      },
    },
    async ({ params, headers }, reply) => {
      const { files } = await manifest()
      const file = Object.hasOwn(files, params.name) ? files[params.name] : undefined
      if (!file) throw notFound('asset')
      const wanted = chooseEncoding(headers['accept-encoding'])
      const encoding = wanted !== 'identity' && file.encodings.includes(wanted) ? wanted : 'identity'
      if (encoding !== 'identity') reply.header('Content-Encoding', encoding)
      reply.headers({ 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' })
      return reply.type(file.type).send(await readFile(new URL(`assets/${params.name}${SUFFIX[encoding]}`, FOLDER)))
    },
  )
}
