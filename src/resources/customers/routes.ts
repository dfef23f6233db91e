import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { data, errors, IdParams, page, ref } from '../../core/input/schemas.ts'
import { sendPage } from '../../core/reading/list.ts'
import { changeResource, rereadText, sendResource } from '../../core/reading/request-texts.ts'
import type { Db } from '../../core/storage/database.ts'
import { invalid } from '../../errors.ts'
import { countryExists } from '../countries/queries.ts'
import { createCustomer } from './create-customer.ts'
import { customerList } from './list.ts'
import { customerExists } from './queries.ts'
import { Customer, CustomerChanges, CustomerQuery, NewCustomer } from './schema.ts'
import { updateCustomer } from './update-customer.ts'

export const customerRoutes = (app: Api, { db }: { db: Db }) => {
  const key = 'customer'
  const subject = 'customer'
  const one = data({ customer: ref(Customer) })

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
    async (request, reply) => {
      const { query } = request
      if (query.country !== undefined && !(await countryExists(db, query.country)))
        throw invalid({ country: ['must be the id of a country'] })
      return sendPage(db, request, reply, customerList, query)
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
    (request, reply) => sendResource(db, request, reply, 'customer', request.params.id),
  )

  app.post(
    '/customer',
    {
      config: { permission: 'customer:create' },
      schema: {
        operationId: 'createCustomer',
        summary: 'Create a customer',
        description: 'The email address is unique in the store, ignoring case.',
        body: NewCustomer,
        response: { 201: one, ...errors },
      },
    },
    async (request, reply) =>
      writeOnce(
        db,
        reply,
        { status: 201, key, render: rereadText(request, 'customer'), isOneStatement: true },
        async (db) => {
          const [customer] = await request.texts.fill(db, [await createCustomer(db, request.store, request.body)])
          return customer as string
        },
      ),
  )

  app.put(
    '/customer/:id',
    {
      config: {
        permission: 'customer:update',
        extension: true,
        subject,
        exists: (store, id) => customerExists(db, store, id),
      },
      schema: {
        operationId: 'updateCustomer',
        summary: 'Update a customer',
        description: 'Only the given fields change.',
        params: IdParams,
        body: CustomerChanges,
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { params, body, store } = request
      return changeResource(db, request, reply, 'customer', params.id, (db) =>
        updateCustomer(db, store, params.id, body),
      )
    },
  )
}
