import { invalid, notFound } from '../../../src/errors.ts'
import type { Api } from '../../../src/http/api.ts'
import { writeOnce } from '../../../src/http/idempotency.ts'
import { sendText } from '../../../src/http/json-reply.ts'
import type { Resource } from '../../../src/http/resource.ts'
import { data, errors, IdParams, page, ref } from '../../../src/input/schemas.ts'
import { listPage } from '../../../src/reading/list-page.ts'
import type { Db } from '../../../src/storage/database.ts'
import { discountFilters, discountListing, findDiscount, insertDiscount, productExists } from './queries.ts'
import { Discount, DiscountQuery, NewDiscount } from './schema.ts'

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
    ({ query, store }, reply) => listPage(db, reply, discountListing, query, store, discountFilters(query)),
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
    async ({ params, store }, reply) => {
      const json = await findDiscount(db, store, params.id)
      if (!json) throw notFound('discount')
      return sendText(reply, 'discount', json)
    },
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
    async ({ body, store }, reply) =>
      writeOnce(db, reply, { status: 201, key: 'discount' }, async (db) => {
        if (body.product_id && !(await productExists(db, store, body.product_id)))
          throw invalid({ product_id: ['must be the id of a product'] })
        const id = await insertDiscount(db, store, body)
        return (await findDiscount(db, store, id)) as string
      }),
  )
}

/** A resource that the service does not have. It shows that adding one takes a folder, a line and a migration. */
export const discounts: Resource<{ db: Db }> = {
  heading: 'Discounts',
  description: 'Codes that make a product cheaper.',
  routes: discountRoutes,
  examples: { bodies: ({ product }) => ({ createDiscount: { code: 'WINTER', product_id: product.id } }) },
}
