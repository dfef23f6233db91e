import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { data, errors, IdParams, listQuery, ref } from '../../core/input/schemas.ts'
import { readRoutes } from '../../core/reading/read-routes.ts'
import { changeResource, createResource, textVersion } from '../../core/reading/request-texts.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { categoryList } from './list.ts'
import { categoryExists, createCategory, deleteCategory, updateCategory } from './queries.ts'
import { Category, CategoryChanges, NewCategory } from './schema.ts'

const SORTS = ['name', 'created_at'] as const

export const categoryRoutes = (app: Api, { db }: { db: Db }) => {
  const key = 'category'
  const subject = 'category'
  const one = data({ category: ref(Category) })
  const exists = (store: StoreId, id: string) => categoryExists(db, store, id)

  readRoutes(app, db, {
    url: '/category',
    config: { permission: 'product:view', extension: true },
    list: categoryList,
    shape: Category,
    many: {
      operationId: 'listCategories',
      summary: 'List the product categories',
      description: 'Use the ids as `category_id` of a product and in the `category` filter of the product list.',
      querystring: listQuery(SORTS, 'created_at', {}),
    },
    one: { operationId: 'getCategory', summary: 'Fetch one product category', subject },
  })

  app.post(
    '/category',
    {
      config: { permission: 'product:create', extension: true },
      schema: {
        operationId: 'createCategory',
        summary: 'Create a product category',
        body: NewCategory,
        response: { 201: one, ...errors },
      },
    },
    async (request, reply) =>
      createResource(db, request, reply, key, async (db) => {
        const { id } = await createCategory(db, request.store, request.body)
        return id
      }),
  )

  app.put(
    '/category/:id',
    {
      config: { permission: 'product:update', extension: true, subject, exists },
      schema: {
        operationId: 'updateCategory',
        summary: 'Rename a product category',
        description: 'Its products show the new name.',
        params: IdParams,
        body: CategoryChanges,
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { params, body, store } = request
      return changeResource(db, request, reply, key, params.id, (db) => updateCategory(db, store, params.id, body))
    },
  )

  app.delete(
    '/category/:id',
    {
      config: { permission: 'product:delete', extension: true, subject },
      schema: {
        operationId: 'deleteCategory',
        summary: 'Delete a product category',
        description: 'Its products stay, without a category.',
        params: IdParams,
        response: { 200: data({}), ...errors },
      },
    },
    async (request, reply) => {
      const { params, store } = request
      return writeOnce(db, reply, { status: 200, resource: textVersion(request, key, params.id) }, async (db) => {
        await deleteCategory(db, store, params.id)
        return ''
      })
    },
  )
}
