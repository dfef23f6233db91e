import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { data, errors, IdParams, ref } from '../../core/input/schemas.ts'
import { readRoutes } from '../../core/reading/read-routes.ts'
import { changeResource, createResource, textVersion } from '../../core/reading/request-texts.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { createDomain, MAX_DOMAINS } from './create-domain.ts'
import { deleteDomain } from './delete-domain.ts'
import { domainList } from './list.ts'
import { domainExists } from './queries.ts'
import { Domain, DomainChanges, DomainQuery, NewDomain } from './schema.ts'
import { updateDomain } from './update-domain.ts'

export const domainRoutes = (app: Api, { db }: { db: Db }) => {
  const key = 'domain'
  const subject = 'domain'
  const one = data({ domain: ref(Domain) })
  const exists = (store: StoreId, id: string) => domainExists(db, store, id)

  readRoutes(app, db, {
    url: '/domain',
    config: { permission: 'domain:view', extension: true },
    list: domainList,
    shape: Domain,
    many: {
      operationId: 'listDomains',
      summary: 'List domains',
      querystring: DomainQuery,
    },
    one: { operationId: 'getDomain', summary: 'Fetch one domain', subject },
  })

  app.post(
    '/domain',
    {
      config: { permission: 'domain:create', extension: true },
      schema: {
        operationId: 'createDomain',
        summary: 'Create a domain',
        description: `A store can have ${MAX_DOMAINS} domains. The first is the one that the store was created with.`,
        body: NewDomain,
        response: { 201: one, ...errors },
      },
    },
    async (request, reply) =>
      createResource(db, request, reply, key, (db) => createDomain(db, request.store, request.body)),
  )

  app.put(
    '/domain/:id',
    {
      config: { permission: 'domain:update', extension: true, subject, exists },
      schema: {
        operationId: 'updateDomain',
        summary: 'Update a domain',
        description:
          'Only the given fields change. The host name of a domain that landing pages use cannot be changed. Links of ' +
          'orders, and of landing pages without a domain of their own, follow the primary domain.',
        params: IdParams,
        body: DomainChanges,
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { params, body, store } = request
      return changeResource(db, request, reply, key, params.id, (db) => updateDomain(db, store, params.id, body))
    },
  )

  app.delete(
    '/domain/:id',
    {
      config: { permission: 'domain:delete', extension: true, subject },
      schema: {
        operationId: 'deleteDomain',
        summary: 'Delete a domain',
        description: 'Refused with 422 for the primary domain, and while landing pages use the domain.',
        params: IdParams,
        response: { 200: data({}), ...errors },
      },
    },
    async (request, reply) => {
      const { params, store } = request
      return writeOnce(db, reply, { status: 200, resource: textVersion(request, key, params.id) }, async (db) => {
        await deleteDomain(db, store, params.id)
        return ''
      })
    },
  )
}
