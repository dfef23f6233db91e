import type { Api } from '../http/api.ts'
import { errors, listQuery, page, ref } from '../input/schemas.ts'
import { type Listing, listPage } from '../reading/list-page.ts'
import type { Db } from '../storage/database.ts'
import { Category } from './schema.ts'

const SORTS = ['name', 'created_at'] as const

const listing: Listing<(typeof SORTS)[number]> = {
  key: 'categories',
  table: 'category',
  alias: 'c',
  json: () => `(select row_to_json(r) from (select c.id, c.name) r)`,
  sorts: {
    name: { sql: 'c.name_key', type: 'text' },
    created_at: { sql: 'c.created_at', type: 'timestamptz' },
  },
}

export const categoryRoutes = (app: Api, { db }: { db: Db }) => {
  app.get(
    '/category',
    {
      config: { permission: 'product:view', extension: true },
      schema: {
        operationId: 'listCategories',
        summary: 'List the product categories',
        description: 'Where the `category_id` of a product and the `category` filter of the product list come from.',
        querystring: listQuery(SORTS, 'created_at', {}),
        response: { 200: page('categories', ref(Category)), ...errors },
      },
    },
    ({ query, store }, reply) => listPage(db, reply, listing, query, store, () => []),
  )
}
