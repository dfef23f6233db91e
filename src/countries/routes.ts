import Type from 'typebox'
import type { Api } from '../http/api.ts'
import { relay } from '../http/json-reply.ts'
import { data, errors, ref } from '../input/schemas.ts'
import type { Parts } from '../server/services.ts'
import { listCountries } from './queries.ts'
import { Country } from './schema.ts'

export const countryRoutes = (app: Api, { db }: Parts) => {
  app.get(
    '/country',
    {
      config: { access: 'installation', extension: true },
      schema: {
        operationId: 'listCountries',
        summary: 'List the countries',
        response: { 200: data({ countries: Type.Array(ref(Country)) }), ...errors },
      },
    },
    async (_request, reply) => relay(reply, 'countries', await listCountries(db)),
  )
}
