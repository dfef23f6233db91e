import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import type { FormRules } from '../../core/http/multipart.ts'
import { data, errors, IdParams, page, ref } from '../../core/input/schemas.ts'
import { sendPage } from '../../core/reading/list.ts'
import { createResource, rereadText, sendResource } from '../../core/reading/request-texts.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { digitalFiles, IMAGE_FILES } from '../files/rules.ts'
import { type UploadServices, withUploads } from '../files/save-uploads.ts'
import { requireRoom, tenantOf } from '../plans/limits.ts'
import { createProduct } from './create-product.ts'
import { deleteProduct } from './delete-product.ts'
import { NewProduct, ProductChanges } from './input.ts'
import { ProductQuery, productList, withSort } from './list.ts'
import { productExists, productVersion } from './queries.ts'
import { acceptReadProduct } from './read-back.ts'
import { Product } from './schema.ts'
import { refuseMisspeltPrice } from './shorthand.ts'
import { changeProduct } from './update-product.ts'

const FILE_PARTS = {
  'images[]':
    'New pictures: jpeg, png, webp or gif, at most 5 MB each. They are added after the listed or existing images.',
  'files[]': 'Files that the buyer downloads. The Nth file belongs to the Nth of `variants`, or to `default`.',
}

const FORM =
  'Send multipart/form-data with the product as JSON in `metadata`, or, without files, application/json ' +
  'with the product itself. You may send a product as you read it: computed fields are ignored.'

export const productRoutes = (app: Api, services: UploadServices) => {
  const { db, config } = services
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
    more: (body, _uploads, errors, ignored) => refuseMisspeltPrice(body, ignored, errors),
  }
  const change: FormRules<typeof ProductChanges> = { body: ProductChanges, as: 'optional metadata', files, adapt }
  const exists = (store: StoreId, id: string) => productExists(db, store, id)

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
    async (request, reply) => sendPage(db, request, reply, productList, withSort(request.query)),
  )

  app.get(
    '/product/:id',
    {
      config: { permission: 'product:view', subject },
      schema: {
        operationId: 'getProduct',
        summary: 'Fetch one product',
        params: IdParams,
        response: { 200: one, ...errors },
      },
    },
    (request, reply) => sendResource(db, request, reply, 'product', request.params.id),
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
      withUploads(request, services, creation, ({ body, uploads }) =>
        createResource(db, request, reply, 'product', async (db) => {
          await requireRoom(db, tenantOf(request), 'products')
          return createProduct(db, request.store, body, uploads)
        }),
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
      },
      schema: {
        operationId: 'updateProduct',
        summary: 'Update a product',
        description:
          `Only the given fields change. ${FORM} An option or variant with an id is updated, one without is added. ` +
          '`images`, `ugc_videos` and `properties` replace the existing ones.',
        params: IdParams,
        body: ProductChanges,
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { store, texts, params } = request
      const resource = productVersion(request, params.id)
      return withUploads(request, services, change, ({ body, uploads }) =>
        writeOnce(db, reply, { status: 200, key, render: rereadText(request, 'product'), resource }, async (db) => {
          const text = await changeProduct(db, store, params.id, body, uploads)
          return (await texts.keepAndFill(db, 'product', params.id, text))[0] as string
        }),
      )
    },
  )

  app.delete(
    '/product/:id',
    {
      config: { permission: 'product:delete', extension: true, subject },
      schema: {
        operationId: 'deleteProduct',
        summary: 'Delete a product',
        description:
          'Its variants, reviews and landing pages are deleted too; to keep them, set its `status` to inactive instead. ' +
          'Orders keep their lines with title, price and options; `variant` and `image_url` of these lines become ' +
          'null. Files are not deleted; a picture that nothing else shows becomes private.',
        params: IdParams,
        response: { 200: data({}), ...errors },
      },
    },
    async (request, reply) => {
      const { params, store } = request
      return writeOnce(db, reply, { status: 200, resource: productVersion(request, params.id) }, async (db) => {
        await deleteProduct(db, store, params.id)
        return ''
      })
    },
  )
}
