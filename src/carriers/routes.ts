import Type from 'typebox'
import type { Api } from '../http/api.ts'
import { sendText } from '../http/json-reply.ts'
import { data, errors, ref } from '../input/schemas.ts'
import type { Db } from '../storage/database.ts'
import { listActiveCarriers } from './queries.ts'
import { Carrier } from './schema.ts'

export const carrierRoutes = (app: Api, { db }: { db: Db }) => {
  app.get(
    '/shipping-carrier',
    {
      config: { access: 'installation' },
      schema: {
        operationId: 'listShippingCarriers',
        summary: 'List the active shipping carriers',
        response: { 200: data({ carriers: Type.Array(ref(Carrier)) }), ...errors },
      },
    },
    async ({ store }, reply) => sendText(reply, 'carriers', await listActiveCarriers(db, store)),
  )
}
