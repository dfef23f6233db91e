import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../errors.ts'
import { digitalFiles, IMAGE_FILES } from '../files/rules.ts'
import { withUploads } from '../files/save-upload.ts'
import type { StoreId } from '../http/access.ts'
import type { Api } from '../http/api.ts'
import { writeOnce } from '../http/idempotency.ts'
import type { FormRules } from '../http/multipart.ts'
import { listPage } from '../http/paging.ts'
import { relayBody } from '../http/relay.ts'
import { data, errors, IdParams, page, ref } from '../http/schemas.ts'
import type { Parts } from '../parts.ts'
import type { Tx } from '../storage/database.ts'
import { createProduct } from './create-product.ts'
import { NewProduct, ProductChanges } from './input.ts'
import { ProductQuery, productList } from './list-products.ts'
import { findProduct, productExists } from './queries.ts'
import { acceptReadProduct } from './read-back.ts'
import { Product } from './schema.ts'
import { refuseMissedPrice } from './shorthand.ts'
import { updateProduct } from './update-product.ts'
import { productTag } from './version.ts'

const FILE_PARTS = {
  'images[]': 'New pictures: jpeg, png, webp or gif, 5 MB each at most. They follow the listed or existing images.',
  'files[]': 'What the buyer gets. The Nth is the file of the Nth of `variants`, or of `default`.',
}

const FORM =
  'multipart/form-data with the product as JSON in `metadata`; without bytes to send, application/json with the ' +
  'product itself will do. A product as it is read is taken as well: what the server computed is ignored.'

export const productRoutes = (app: Api, parts: Parts) => {
  const { db, links, config } = parts
  const key = 'product'
  const subject = 'product'
  const one = data({ product: ref(Product) })
  const files = { images: IMAGE_FILES, files: digitalFiles(config) }
  const adapt = acceptReadProduct
  const creation: FormRules<typeof NewProduct> = {
    body: NewProduct,
    as: 'metadata',
    files,
    adapt,
    more: (body, _uploads, faults, ignored) => refuseMissedPrice(body, ignored, faults),
  }
  const change: FormRules<typeof ProductChanges> = { body: ProductChanges, as: 'optional metadata', files, adapt }
  const exists = ({ params, store }: FastifyRequest) => productExists(db, store, (params as { id: string }).id)

  /** The product as it is now, read in the transaction that wrote it. */
  const written = async (db: Tx, reply: FastifyReply, store: StoreId, id: string) => {
    const product = (await findProduct(db, links, store, id)) as string
    reply.header('ETag', productTag(product))
    return product
  }

  app.get(
    '/product',
    {
      config: { permission: 'product:view' },
      schema: {
        operationId: 'listProducts',
        summary: 'List products',
        querystring: ProductQuery,
        response: { 200: page('products', ref(Product)), ...errors },
      },
    },
    async ({ query, store }, reply) => {
      const { listing, page, where } = productList(links, store, query)
      return listPage(db, reply, listing, page, store, where)
    },
  )

  app.get(
    '/product/:id',
    {
      config: { permission: 'product:view', subject },
      schema: {
        operationId: 'getProduct',
        summary: 'Fetch one product',
        description: 'The ETag, sent as If-Match with an update, lets it through only if nobody was faster.',
        params: IdParams,
        response: { 200: one, ...errors },
      },
    },
    async ({ params, store }, reply) => {
      const product = await findProduct(db, links, store, params.id)
      if (!product) throw notFound(subject)
      return relayBody(reply, `{"data":{"${key}":${product}}}`, productTag(product))
    },
  )

  app.post(
    '/product',
    {
      config: { permission: 'product:create', bodyInHandler: true, fileParts: FILE_PARTS },
      schema: {
        operationId: 'createProduct',
        summary: 'Create a product',
        description: FORM,
        body: NewProduct,
        response: { 201: one, ...errors },
      },
    },
    async (request, reply) =>
      withUploads(request, parts, creation, ({ body, uploads }) =>
        writeOnce(db, reply, { status: 201, key }, async (db) =>
          written(db, reply, request.store, await createProduct(db, request.store, body, uploads)),
        ),
      ),
  )

  app.post(
    '/product/:id/update',
    {
      config: {
        permission: 'product:update',
        bodyInHandler: true,
        subject,
        exists,
        fileParts: FILE_PARTS,
        conditional: true,
      },
      schema: {
        operationId: 'updateProduct',
        summary: 'Update a product',
        description:
          `Only the given fields change. ${FORM} Of options and variants an id changes that one and no id adds one; ` +
          'given images, ugc_videos or properties take the place of all there were. With an If-Match header the ' +
          'update is refused (412) when the product is no longer the one that was read.',
        params: IdParams,
        body: ProductChanges,
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { store, params, headers } = request
      return withUploads(request, parts, change, ({ body, uploads }) =>
        writeOnce(db, reply, { status: 200, key }, async (db) => {
          await updateProduct(db, links, store, { id: params.id, body, uploads, expected: headers['if-match'] })
          return written(db, reply, store, params.id)
        }),
      )
    },
  )
}
