import { Type } from 'typebox'
import type { Api } from '../../core/http/api.ts'
import { sendText } from '../../core/http/json-reply.ts'
import { data, errors, ref } from '../../core/input/schemas.ts'
import type { Db } from '../../core/storage/database.ts'
import { listCountries } from './queries.ts'
import { Country } from './schema.ts'

export const countryRoutes = (app: Api, { db }: { db: Db }) => {
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
    async (_request, reply) => sendText(reply, 'countries', await listCountries(db)),
  )
}
