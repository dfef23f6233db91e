import type { FastifyRequest } from 'fastify'
import { countryExists } from '../countries/queries.ts'
import { invalid, notFound } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { writeOnce } from '../http/idempotency.ts'
import { sendText } from '../http/json-reply.ts'
import { tagOf } from '../http/versions.ts'
import { data, errors, IdParams, page, ref } from '../input/schemas.ts'
import { listPage } from '../reading/list-page.ts'
import { totalOfMatches } from '../reading/matching-ids.ts'
import type { Db, Tx } from '../storage/database.ts'
import { createCustomer } from './create-customer.ts'
import type { CustomerEmbeds } from './json.ts'
import { customerFilters, customerListing, searchCustomers } from './list.ts'
import { createCustomerFinder, createCustomerVersion, customerExists } from './queries.ts'
import { Customer, CustomerChanges, CustomerQuery, NewCustomer } from './schema.ts'
import { updateCustomer } from './update-customer.ts'

export const customerRoutes = (app: Api, services: { db: Db } & CustomerEmbeds) => {
  const { db } = services
  const findCustomer = createCustomerFinder(services)
  const customerVersion = createCustomerVersion(services)
  const subject = 'customer'
  const one = data({ customer: ref(Customer) })

  /** The customer as it is now, read in the transaction that wrote it. */
  const written = async (db: Tx, { fileUrls, store }: FastifyRequest, id: string) =>
    (await findCustomer(db, fileUrls, store, id)) as string

  app.get(
    '/customer',
    {
      config: { permission: 'customer:view' },
      schema: {
        operationId: 'listCustomers',
        summary: 'List customers',
        querystring: CustomerQuery,
        response: { 200: page('customers', ref(Customer)), ...errors },
      },
    },
    async ({ query, store, fileUrls }, reply) => {
      if (query.country !== undefined && !(await countryExists(db, query.country)))
        throw invalid({ country: ['must be the id of a country'] })
      const hits = query.search === undefined ? undefined : await searchCustomers(db, store, query.search)
      const [listing, where] = [customerListing(fileUrls, services, query), customerFilters(query, hits)]
      return listPage(db, reply, listing, query, store, where, totalOfMatches(query, { search: hits }))
    },
  )

  app.get(
    '/customer/:id',
    {
      config: { permission: 'customer:view', subject },
      schema: {
        operationId: 'getCustomer',
        summary: 'Fetch one customer',
        params: IdParams,
        response: { 200: one, ...errors },
      },
    },
    async ({ params, store, fileUrls }, reply) => {
      const customer = await findCustomer(db, fileUrls, store, params.id)
      if (!customer) throw notFound(subject)
      return sendText(reply, 'customer', customer, tagOf(customer))
    },
  )

  app.post(
    '/customer',
    {
      config: { permission: 'customer:create' },
      schema: {
        operationId: 'createCustomer',
        summary: 'Create a customer',
        description: 'The email is unique in the store, without regard to case.',
        body: NewCustomer,
        response: { 201: one, ...errors },
      },
    },
    async ({ body, store }, reply) =>
      writeOnce(db, reply, { status: 201, key: 'customer', render: findCustomer }, async (db) =>
        written(db, reply.request, await createCustomer(db, store, body)),
      ),
  )

  app.put(
    '/customer/:id',
    {
      config: {
        permission: 'customer:update',
        extension: true,
        subject,
        exists: ({ params, store }) => customerExists(db, store, (params as { id: string }).id),
      },
      schema: {
        operationId: 'updateCustomer',
        summary: 'Change a customer',
        description: 'Only the given fields change.',
        params: IdParams,
        body: CustomerChanges,
        response: { 200: one, ...errors },
      },
    },
    async ({ params, body, store, fileUrls }, reply) =>
      writeOnce(
        db,
        reply,
        { status: 200, key: 'customer', render: findCustomer, resource: customerVersion(fileUrls, store, params.id) },
        async (db) => {
          await updateCustomer(db, store, params.id, body)
          return written(db, reply.request, params.id)
        },
      ),
  )
}
