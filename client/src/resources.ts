import { parseCsv, removeFormulaGuard } from './csv.ts'
import type { Upload } from './multipart-body.ts'
import type { Body, CallOptions, Query, Request, UpdateOptions, UploadOptions, WriteOptions } from './request.ts'
import type { Pagination, StoredFile } from './types.ts'

type Everything<Q> = Omit<Q, 'page' | 'cursor'>

/** Every row of a list, page after page, each page starting right after the last row of the one before. */
async function* everyRow<Q extends object, K extends string, Row>(
  list: (query: Q, options: CallOptions | undefined) => Promise<{ [key in K]: Row[] } & { pagination: Pagination }>,
  key: K,
  query: Everything<Q> | undefined,
  options: CallOptions | undefined,
): AsyncGenerator<Row, void, undefined> {
  let cursor: string | null | undefined
  do {
    const page = await list({ page_size: 200, ...query, ...(cursor && { cursor }) } as unknown as Q, options)
    yield* page[key]
    cursor = page.pagination.next_cursor
  } while (cursor)
}

export interface ProductFiles {
  /** Pictures; they come after the ones that the metadata lists. */
  images?: Upload[]
  /** What the buyer of a digital product gets: the Nth for the Nth of `variants`, or for `default`. */
  files?: Upload[]
}

export const productCalls = (request: Request) => {
  const parts = ({ images, files }: ProductFiles) => ({
    files: { ...(images && { 'images[]': images }), ...(files && { 'files[]': files }) },
  })
  const list = (query: Query<'GET /product'> = {}, options?: CallOptions) =>
    request('GET', '/product', { query, ...options })
  return {
    list,
    all: (query?: Everything<Query<'GET /product'>>, options?: CallOptions) =>
      everyRow(list, 'products', query, options),
    get: async (id: string, options?: CallOptions) =>
      (await request('GET', '/product/{id}', { path: { id }, ...options })).product,
    create: async (metadata: Body<'POST /product'>, { images, files, ...options }: ProductFiles & UploadOptions = {}) =>
      (await request('POST', '/product', { body: metadata, ...parts({ images, files }), ...options })).product,
    /** Changes only what is given. With `ifMatch`, the product as you read it, somebody else's change is not undone. */
    update: async (
      id: string,
      changes: Body<'POST /product/{id}/update'>,
      { images, files, ...options }: ProductFiles & UploadOptions & UpdateOptions = {},
    ) =>
      (
        await request('POST', '/product/{id}/update', {
          path: { id },
          body: changes,
          ...parts({ images, files }),
          ...options,
        })
      ).product,
  }
}

export const orderCalls = (request: Request) => {
  const list = (query: Query<'GET /order'> = {}, options?: CallOptions) =>
    request('GET', '/order', { query, ...options })
  /** All matching orders as a CSV file, while it is being written. */
  const exportCsv = (query: Query<'GET /order/export'> = {}, options?: CallOptions) =>
    request('GET', '/order/export', { query, ...options })
  return {
    list,
    all: (query?: Everything<Query<'GET /order'>>, options?: CallOptions) => everyRow(list, 'orders', query, options),
    get: async (id: string, options?: CallOptions) =>
      (await request('GET', '/order/{id}', { path: { id }, ...options })).order,
    create: async (order: Body<'POST /order'> = {}, options?: WriteOptions) =>
      (await request('POST', '/order', { body: order, ...options })).order,
    update: async (id: string, changes: Body<'PUT /order/{id}'>, options?: UpdateOptions) =>
      (await request('PUT', '/order/{id}', { path: { id }, body: changes, ...options })).order,
    updateDelivery: async (
      deliveryId: string,
      changes: Body<'PUT /order/delivery/{deliveryId}'>,
      options?: UpdateOptions,
    ) =>
      (await request('PUT', '/order/delivery/{deliveryId}', { path: { deliveryId }, body: changes, ...options }))
        .delivery,
    /** Moves lines that wait in one delivery to a new one. */
    splitDelivery: async (id: string, lines: Body<'POST /order/{id}/delivery'>, options?: UpdateOptions) =>
      (await request('POST', '/order/{id}/delivery', { path: { id }, body: lines, ...options })).delivery,
    return: async (id: string, goods: Body<'POST /order/{id}/return'>, options?: UpdateOptions) =>
      (await request('POST', '/order/{id}/return', { path: { id }, body: goods, ...options })).return,
    refund: async (id: string, refund: Body<'POST /order/{id}/refund'>, options?: UpdateOptions) =>
      (await request('POST', '/order/{id}/refund', { path: { id }, body: refund, ...options })).refund,
    updateRefund: async (id: string, changes: Body<'PUT /order/refund/{id}'>, options?: UpdateOptions) =>
      (await request('PUT', '/order/refund/{id}', { path: { id }, body: changes, ...options })).refund,
    export: exportCsv,
    /** The rows of the export, parsed; cells are text as the order has it. */
    exportRows: async function* (query?: Query<'GET /order/export'>, options?: CallOptions) {
      for await (const row of parseCsv(await exportCsv(query, options)))
        yield Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, removeFormulaGuard(cell)]))
    },
  }
}

export const customerCalls = (request: Request) => {
  const list = (query: Query<'GET /customer'> = {}, options?: CallOptions) =>
    request('GET', '/customer', { query, ...options })
  return {
    list,
    all: (query?: Everything<Query<'GET /customer'>>, options?: CallOptions) =>
      everyRow(list, 'customers', query, options),
    get: async (id: string, options?: CallOptions) =>
      (await request('GET', '/customer/{id}', { path: { id }, ...options })).customer,
    create: async (customer: Body<'POST /customer'>, options?: WriteOptions) =>
      (await request('POST', '/customer', { body: customer, ...options })).customer,
    update: async (id: string, changes: Body<'PUT /customer/{id}'>, options?: UpdateOptions) =>
      (await request('PUT', '/customer/{id}', { path: { id }, body: changes, ...options })).customer,
  }
}

export const reviewCalls = (request: Request) => {
  const list = (query: Query<'GET /review'> = {}, options?: CallOptions) =>
    request('GET', '/review', { query, ...options })
  return {
    list,
    all: (query?: Everything<Query<'GET /review'>>, options?: CallOptions) => everyRow(list, 'reviews', query, options),
    get: async (id: string, options?: CallOptions) =>
      (await request('GET', '/review/{id}', { path: { id }, ...options })).review,
    create: async (
      metadata: Body<'POST /review'>,
      { images, ...options }: Pick<ProductFiles, 'images'> & UploadOptions = {},
    ) =>
      (await request('POST', '/review', { body: metadata, files: images ? { 'images[]': images } : {}, ...options }))
        .review,
    update: async (id: string, changes: Body<'PUT /review/{id}'>, options?: UpdateOptions) =>
      (await request('PUT', '/review/{id}', { path: { id }, body: changes, ...options })).review,
    delete: async (id: string, options?: UpdateOptions): Promise<void> => {
      await request('DELETE', '/review/{id}', { path: { id }, ...options })
    },
  }
}

export const landingPageCalls = (request: Request) => {
  const list = (query: Query<'GET /landing-page'> = {}, options?: CallOptions) =>
    request('GET', '/landing-page', { query, ...options })
  return {
    list,
    all: (query?: Everything<Query<'GET /landing-page'>>, options?: CallOptions) =>
      everyRow(list, 'landingPages', query, options),
    get: async (id: string, options?: CallOptions) =>
      (await request('GET', '/landing-page/{id}', { path: { id }, ...options })).landing_page,
    create: async (page: Body<'POST /landing-page'>, options?: WriteOptions) =>
      (await request('POST', '/landing-page', { body: page, ...options })).landing_page,
    update: async (id: string, changes: Body<'PUT /landing-page/{id}'>, options?: UpdateOptions) =>
      (await request('PUT', '/landing-page/{id}', { path: { id }, body: changes, ...options })).landing_page,
    publish: async (id: string, options?: UpdateOptions) =>
      (await request('POST', '/landing-page/{id}/publish', { path: { id }, ...options })).landing_page,
    delete: async (id: string, options?: UpdateOptions): Promise<void> => {
      await request('DELETE', '/landing-page/{id}', { path: { id }, ...options })
    },
  }
}

export const categoryCalls = (request: Request) => {
  const list = (query: Query<'GET /category'> = {}, options?: CallOptions) =>
    request('GET', '/category', { query, ...options })
  return {
    list,
    all: (query?: Everything<Query<'GET /category'>>, options?: CallOptions) =>
      everyRow(list, 'categories', query, options),
  }
}

export const carrierCalls = (request: Request) => ({
  list: async (options?: CallOptions) => (await request('GET', '/shipping-carrier', { ...options })).carriers,
})

export const countryCalls = (request: Request) => ({
  list: async (options?: CallOptions) => (await request('GET', '/country', { ...options })).countries,
})

type Owner = NonNullable<Body<'POST /file'>['fileable_type']>

export const fileCalls = (request: Request, download: (file: StoredFile, options?: CallOptions) => Promise<Bytes>) => {
  const list = (query: Query<'GET /file'> = {}, options?: CallOptions) => request('GET', '/file', { query, ...options })
  return {
    list,
    all: (query?: Everything<Query<'GET /file'>>, options?: CallOptions) => everyRow(list, 'files', query, options),
    get: async (id: string, options?: CallOptions) =>
      (await request('GET', '/file/{id}', { path: { id }, ...options })).file,
    upload: async (file: Upload, fields: Body<'POST /file'> = {}, options?: UploadOptions) =>
      (await request('POST', '/file', { files: { file }, body: fields, ...options })).file,
    /** Removes the file from every resource, and its bytes. */
    delete: async (id: string, options?: UpdateOptions): Promise<void> => {
      await request('POST', '/file/{id}', { path: { id }, ...options })
    },
    /** Removes the file from one resource; the file stays. */
    unlink: async (id: string, type: Owner, ownerId: string, options?: UpdateOptions) => {
      const path = { id, fileable_type: type, fileable_id: ownerId }
      return (await request('DELETE', '/file/{id}/link/{fileable_type}/{fileable_id}', { path, ...options })).file
    },
    /** The bytes of a file as it was listed or fetched within the hour. */
    download,
  }
}

type Bytes = ReadableStream<Uint8Array>
