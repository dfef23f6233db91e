import { Type } from 'typebox'
import type { Api } from '../../core/http/api.ts'
import { etagOf } from '../../core/http/encoded-body.ts'
import { sendJson } from '../../core/http/json-reply.ts'
import { data } from '../../core/input/schemas.ts'
import { CATALOGUE, CUSTOMER_VIEW_NOTE } from './catalogue.ts'

const Permissions = Type.Object(
  Object.fromEntries(Object.keys(CATALOGUE).map((subject) => [subject, Type.Array(Type.String())])),
  { description: 'Subject to its actions.' },
)

const body = JSON.stringify({ data: { permissions: CATALOGUE } })
const etag = etagOf(body)

export const permissionRoutes = (app: Api) => {
  app.get(
    '/permission',
    {
      config: { access: 'open' },
      schema: {
        operationId: 'listPermissions',
        summary: 'List all permissions',
        description: CUSTOMER_VIEW_NOTE.replace('customer:view', '`customer:view`'),
        response: { 200: data({ permissions: Permissions }) },
      },
    },
    async (_request, reply) => sendJson(reply, body, etag),
  )
}
