import type { AddressInfo } from 'node:net'
import { Type } from 'typebox'
import type { Config } from '../config/config.ts'
import type { Api } from '../core/http/api.ts'
import { sendJson } from '../core/http/json-reply.ts'
import { data } from '../core/input/schemas.ts'

const Link = Type.String({ format: 'uri' })

const Links = Type.Object(
  { documents: Link, openapi: Link, get_token: Link, me: Link, permissions: Link },
  { additionalProperties: false, description: 'Links to the documents and first operations.' },
)

/** The public URL of the service. Port 0 is replaced with the port that the system chose. */
export const publicAddress = (app: Api, base: string) =>
  base.replace(/:0(?=\/|$)/, `:${(app.server.address() as AddressInfo | null)?.port ?? 0}`)

/** The root of the server. */
export const homeRoute = (app: Api) => {
  app.get('/', { config: { access: 'open', quiet: true } }, async (_request, reply) =>
    // Relative, because a proxy may add a path prefix.
    reply.header('Cache-Control', 'no-cache').redirect('docs', 302),
  )
}

/** The root of the API. */
export const indexRoute = (app: Api, { config: { origin, baseUrl } }: { config: Config }) => {
  app.get(
    '/',
    {
      prefixTrailingSlash: 'no-slash',
      config: { access: 'open', extension: true },
      schema: {
        operationId: 'getIndex',
        summary: 'Show the API index',
        description: 'Name and version of the API, with links to its documents and first operations.',
        response: { 200: data({ name: Type.String(), version: Type.String(), links: Links }) },
      },
    },
    async (_request, reply) => {
      const site = publicAddress(app, origin)
      const api = publicAddress(app, baseUrl)
      const links = {
        documents: `${site}/docs`,
        openapi: `${site}/openapi.json`,
        get_token: `${api}/auth/get-token`,
        me: `${api}/auth/me`,
        permissions: `${api}/permission`,
      }
      return sendJson(reply, JSON.stringify({ data: { name: 'Storefront Apps API', version: 'v1', links } }))
    },
  )
}
