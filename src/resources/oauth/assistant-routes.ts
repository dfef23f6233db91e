import { Type } from 'typebox'
import { type Config, MCP_PATH } from '../../config/config.ts'
import type { Api } from '../../core/http/api.ts'
import { data, errors, IdParams } from '../../core/input/schemas.ts'
import type { Db } from '../../core/storage/database.ts'
import { requireOwner } from '../accounts/people.ts'
import { listStores } from '../accounts/queries.ts'
import { publicOrigin } from '../accounts/transport.ts'
import { cutOffAssistant, listAssistants } from './connected-assistants.ts'
import { AssistantParams, AssistantReply, ConnectedAssistant } from './consent-schema.ts'

const Done = data({})

/** The assistants that people have connected, for themselves and for the owners of a store. */
export const connectedAssistantRoutes = (app: Api, { db, config }: { db: Db; config: Config }) => {
  const own = { config: { access: 'account', subject: 'assistant' } } as const
  const ofStore = { config: { access: 'account', subject: 'store' } } as const
  const isCounted = config.CALL_LOG_DAYS > 0

  app.get(
    '/assistants',
    { ...own, schema: { response: { 200: AssistantReply, ...errors } } },
    async (request, reply) => {
      const { account } = request.session
      const address = publicOrigin(request, config) + MCP_PATH
      const stores = await listStores(db, account)
      const assistants = await listAssistants(db, { account: account.id })
      reply.header('Cache-Control', 'no-store')
      return {
        data: {
          stores: stores.map(({ id, name, role, permissions }) => ({
            id,
            name,
            address: `${address}?store=${id}`,
            may_connect: role !== 'staff' || permissions.includes('app:install'),
          })),
          assistants,
          is_counted: isCounted,
        },
      }
    },
  )

  app.delete(
    '/assistants/:id',
    { ...own, schema: { params: IdParams, response: { 200: Done, ...errors } } },
    async ({ session: { account }, params }, reply) => {
      await cutOffAssistant(db, account, { id: params.id, account: account.id })
      return reply.header('Cache-Control', 'no-store').send({ data: {} })
    },
  )

  app.get(
    '/stores/:id/assistants',
    {
      ...ofStore,
      schema: {
        params: IdParams,
        response: {
          200: data({ assistants: Type.Array(ConnectedAssistant), is_counted: Type.Boolean() }),
          ...errors,
        },
      },
    },
    async ({ session: { account }, params }, reply) => {
      const { id: store } = await requireOwner(db, account, params.id)
      reply.header('Cache-Control', 'no-store')
      return { data: { assistants: await listAssistants(db, { store }), is_counted: isCounted } }
    },
  )

  app.delete(
    '/stores/:id/assistants/:assistant',
    { ...ofStore, schema: { params: AssistantParams, response: { 200: Done, ...errors } } },
    async ({ session: { account }, params }, reply) => {
      const { id: store } = await requireOwner(db, account, params.id)
      await cutOffAssistant(db, account, { id: params.assistant, store })
      return reply.header('Cache-Control', 'no-store').send({ data: {} })
    },
  )
}
