import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { data, errors, IdParams, ref } from '../../core/input/schemas.ts'
import { readRoutes } from '../../core/reading/read-routes.ts'
import { changeResource, createResource, textVersion } from '../../core/reading/request-texts.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { createPolicy } from './create-policy.ts'
import { policyList } from './list.ts'
import { deletePolicy, policyExists, updatePolicy } from './queries.ts'
import { NewPolicy, Policy, PolicyChanges, PolicyQuery } from './schema.ts'

export const policyRoutes = (app: Api, { db }: { db: Db }) => {
  const key = 'policy'
  const subject = 'policy'
  const one = data({ policy: ref(Policy) })
  const exists = (store: StoreId, id: string) => policyExists(db, store, id)

  readRoutes(app, db, {
    url: '/policy',
    config: { permission: 'policy:view', extension: true },
    list: policyList,
    shape: Policy,
    many: {
      operationId: 'listPolicies',
      summary: 'List policies',
      querystring: PolicyQuery,
    },
    one: { operationId: 'getPolicy', summary: 'Fetch one policy', subject },
  })

  app.post(
    '/policy',
    {
      config: { permission: 'policy:create', extension: true },
      schema: {
        operationId: 'createPolicy',
        summary: 'Create a policy',
        description: 'A store has one policy of each type, and any number of type `custom`.',
        body: NewPolicy,
        response: { 201: one, ...errors },
      },
    },
    async (request, reply) =>
      createResource(db, request, reply, key, (db) => createPolicy(db, request.store, request.body)),
  )

  app.put(
    '/policy/:id',
    {
      config: { permission: 'policy:update', extension: true, subject, exists },
      schema: {
        operationId: 'updatePolicy',
        summary: 'Update a policy',
        description: 'Only the given fields change.',
        params: IdParams,
        body: PolicyChanges,
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { params, body, store } = request
      return changeResource(db, request, reply, key, params.id, (db) => updatePolicy(db, store, params.id, body))
    },
  )

  app.delete(
    '/policy/:id',
    {
      config: { permission: 'policy:delete', extension: true, subject },
      schema: {
        operationId: 'deletePolicy',
        summary: 'Delete a policy',
        params: IdParams,
        response: { 200: data({}), ...errors },
      },
    },
    async (request, reply) => {
      const { params, store } = request
      return writeOnce(db, reply, { status: 200, resource: textVersion(request, key, params.id) }, async (db) => {
        await deletePolicy(db, store, params.id)
        return ''
      })
    },
  )
}
