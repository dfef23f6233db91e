import type { Api } from '../http/api.ts'
import { errors, listQuery, page, ref } from '../input/schemas.ts'
import { sendPage } from '../reading/list.ts'
import type { Db } from '../storage/database.ts'
import { categoryList } from './list.ts'
import { Category } from './schema.ts'

const SORTS = ['name', 'created_at'] as const

export const categoryRoutes = (app: Api, { db }: { db: Db }) => {
  app.get(
    '/category',
    {
      config: { permission: 'product:view', extension: true },
      schema: {
        operationId: 'listCategories',
        summary: 'List the product categories',
        description: 'Use the ids as `category_id` of a product and in the `category` filter of the product list.',
        querystring: listQuery(SORTS, 'created_at', {}),
        response: { 200: page('categories', ref(Category)), ...errors },
      },
    },
    (request, reply) => sendPage(db, request, reply, categoryList, request.query),
  )
}
