import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { data, errors, IdParams, ref } from '../../core/input/schemas.ts'
import { readRoutes } from '../../core/reading/read-routes.ts'
import { changeResource, createResource, textVersion } from '../../core/reading/request-texts.ts'
import type { Db } from '../../core/storage/database.ts'
import { createBundle } from './create-bundle.ts'
import { bundleList } from './list.ts'
import { bundleExists, deleteBundle } from './queries.ts'
import { Bundle, BundleChanges, BundleQuery, NewBundle } from './schema.ts'
import { updateBundle } from './update-bundle.ts'

export const bundleRoutes = (app: Api, { db }: { db: Db }) => {
  const subject = 'bundle'
  const one = data({ bundle: ref(Bundle) })

  readRoutes(app, db, {
    url: '/bundle',
    config: { permission: 'bundle:view', extension: true },
    list: bundleList,
    shape: Bundle,
    many: {
      operationId: 'listBundles',
      summary: 'List bundles',
      querystring: BundleQuery,
    },
    one: { operationId: 'getBundle', summary: 'Fetch one bundle', subject },
  })

  app.post(
    '/bundle',
    {
      config: { permission: 'bundle:create', extension: true },
      schema: {
        operationId: 'createBundle',
        summary: 'Create a bundle',
        description:
          'Offers several units of a product for one price. An order names an option of it as `bundle_option_id`.',
        body: NewBundle,
        response: { 201: one, ...errors },
      },
    },
    async (request, reply) =>
      createResource(db, request, reply, 'bundle', (db) => createBundle(db, request.store, request.body)),
  )

  app.put(
    '/bundle/:id',
    {
      config: {
        permission: 'bundle:update',
        extension: true,
        subject,
        exists: (store, id) => bundleExists(db, store, id),
      },
      schema: {
        operationId: 'updateBundle',
        summary: 'Update a bundle',
        description:
          'Only the given fields change. Orders keep the names and the price that they were sold with. The product ' +
          'of a bundle cannot be changed.',
        params: IdParams,
        body: BundleChanges,
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { params, body, store } = request
      return changeResource(db, request, reply, 'bundle', params.id, (db) => updateBundle(db, store, params.id, body))
    },
  )

  app.delete(
    '/bundle/:id',
    {
      config: { permission: 'bundle:delete', extension: true, subject },
      schema: {
        operationId: 'deleteBundle',
        summary: 'Delete a bundle',
        description: 'Orders keep the names and the price that they were sold with. The product stays.',
        params: IdParams,
        response: { 200: data({}), ...errors },
      },
    },
    async (request, reply) => {
      const { params, store } = request
      return writeOnce(db, reply, { status: 200, resource: textVersion(request, 'bundle', params.id) }, async (db) => {
        await deleteBundle(db, store, params.id)
        return ''
      })
    },
  )
}
