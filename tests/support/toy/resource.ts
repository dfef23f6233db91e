import type { Api } from '../../../src/core/http/api.ts'
import type { Resource } from '../../../src/core/http/resource.ts'
import { data, errors, IdParams, page, ref } from '../../../src/core/input/schemas.ts'
import { sendPage } from '../../../src/core/reading/list.ts'
import { createResource, sendResource } from '../../../src/core/reading/request-texts.ts'
import type { Db } from '../../../src/core/storage/database.ts'
import { invalid } from '../../../src/errors.ts'
import { discountBulk } from './bulk.ts'
import { discountList } from './list.ts'
import { insertDiscount, productExists } from './queries.ts'
import { Discount, DiscountQuery, NewDiscount } from './schema.ts'
import { discountKind } from './text.ts'

const discountRoutes = (app: Api, { db }: { db: Db }) => {
  const one = data({ discount: ref(Discount) })

  app.get(
    '/discount',
    {
      config: { permission: 'product:view' },
      schema: {
        operationId: 'listDiscounts',
        summary: 'List discounts',
        querystring: DiscountQuery,
        response: { 200: page('discounts', ref(Discount)), ...errors },
      },
    },
    (request, reply) => sendPage(db, request, reply, discountList, request.query),
  )

  app.get(
    '/discount/:id',
    {
      config: { permission: 'product:view', subject: 'discount' },
      schema: {
        operationId: 'getDiscount',
        summary: 'Fetch one discount',
        params: IdParams,
        response: { 200: one, ...errors },
      },
    },
    (request, reply) => sendResource(db, request, reply, 'discount', request.params.id),
  )

  app.post(
    '/discount',
    {
      config: { permission: 'product:create' },
      schema: {
        operationId: 'createDiscount',
        summary: 'Create a discount',
        body: NewDiscount,
        response: { 201: one, ...errors },
      },
    },
    async (request, reply) => {
      const { body, store } = request
      return createResource(db, request, reply, 'discount', async (db) => {
        if (body.product_id && !(await productExists(db, store, body.product_id)))
          throw invalid({ product_id: ['must be the id of a product'] })
        return insertDiscount(db, store, body)
      })
    },
  )
}

/** A resource that the service does not have. It shows that adding one takes a folder, a line and a migration. */
export const discounts: Resource<{ db: Db }> = {
  heading: 'Discounts',
  description: 'Codes that make a product cheaper.',
  routes: discountRoutes,
  kinds: { discount: discountKind },
  events: { discount: { permission: 'product:view', snapshot: { table: 'discount', order: 105 } } },
  bulk: { discount: discountBulk },
  examples: { bodies: ({ product }) => ({ createDiscount: { code: 'WINTER', product_id: product.id } }) },
}
