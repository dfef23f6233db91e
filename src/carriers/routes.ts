import Type from 'typebox'
import type { Api } from '../http/api.ts'
import { relay } from '../http/json-reply.ts'
import { data, errors, ref } from '../input/schemas.ts'
import type { Parts } from '../server/services.ts'
import { listActiveCarriers } from './queries.ts'
import { Carrier } from './schema.ts'

export const carrierRoutes = (app: Api, { db }: Parts) => {
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
    async ({ store }, reply) => relay(reply, 'carriers', await listActiveCarriers(db, store)),
  )
}
