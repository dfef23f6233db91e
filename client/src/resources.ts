// Written from openapi.json by scripts/client-resources.mjs. To change it, change the server's routes.
import { everyRow, type WholeList } from './every-row.ts'
import type { Upload } from './multipart-body.ts'
import type {
  Body,
  CallOptions,
  FileOptions,
  Path,
  Query,
  Request,
  UpdateOptions,
  UploadOptions,
  WriteOptions,
} from './request.ts'

/** The calls of every resource. `open` sends no token. */
export const resourceCalls = (request: Request, open: Request) => {
  const listProducts = (query: Query<'GET /product'> = {}, options?: CallOptions) =>
    request('GET', '/product', { query, ...options })
  const listCategories = (query: Query<'GET /category'> = {}, options?: CallOptions) =>
    request('GET', '/category', { query, ...options })
  const listBundles = (query: Query<'GET /bundle'> = {}, options?: CallOptions) =>
    request('GET', '/bundle', { query, ...options })
  const listOrders = (query: Query<'GET /order'> = {}, options?: CallOptions) =>
    request('GET', '/order', { query, ...options })
  const listParcels = (query: Query<'GET /parcel'> = {}, options?: CallOptions) =>
    request('GET', '/parcel', { query, ...options })
  const listCustomers = (query: Query<'GET /customer'> = {}, options?: CallOptions) =>
    request('GET', '/customer', { query, ...options })
  const listReviews = (query: Query<'GET /review'> = {}, options?: CallOptions) =>
    request('GET', '/review', { query, ...options })
  const listLandingPages = (query: Query<'GET /landing-page'> = {}, options?: CallOptions) =>
    request('GET', '/landing-page', { query, ...options })
  const listFiles = (query: Query<'GET /file'> = {}, options?: CallOptions) =>
    request('GET', '/file', { query, ...options })
  const listJobs = (query: Query<'GET /bulk'> = {}, options?: CallOptions) =>
    request('GET', '/bulk', { query, ...options })
  const listPaymentMethods = (query: Query<'GET /payment-method'> = {}, options?: CallOptions) =>
    request('GET', '/payment-method', { query, ...options })
  const listDomains = (query: Query<'GET /domain'> = {}, options?: CallOptions) =>
    request('GET', '/domain', { query, ...options })
  const listPolicies = (query: Query<'GET /policy'> = {}, options?: CallOptions) =>
    request('GET', '/policy', { query, ...options })
  const listInvoices = (query: Query<'GET /invoice'> = {}, options?: CallOptions) =>
    request('GET', '/invoice', { query, ...options })

  return {
    apps: {
      /** List the apps of the store. */
      list: async (options?: CallOptions) => (await request('GET', '/app', { ...options })).apps,
      /** Fetch the installation of the token. */
      getOwnInstallation: async (options?: CallOptions) =>
        (await request('GET', '/app/self', { ...options })).installation,
      /** Give up permissions. */
      updateOwnInstallation: async (body: Body<'PUT /app/self'>, options?: UpdateOptions) =>
        (await request('PUT', '/app/self', { body, ...options })).installation,
      /** Install an app. */
      createInstallation: async (
        clientId: string,
        body: Body<'POST /app/{client_id}/install'>,
        options?: UpdateOptions,
      ) =>
        (await request('POST', '/app/{client_id}/install', { path: { client_id: clientId }, body, ...options }))
          .installation,
      /** Uninstall an app. */
      deleteInstallation: async (clientId: string, options?: UpdateOptions): Promise<void> => {
        await request('DELETE', '/app/{client_id}', { path: { client_id: clientId }, ...options })
      },
      /** Open an app. */
      createSession: async (clientId: string, options?: UpdateOptions) =>
        (await request('POST', '/app/{client_id}/boot', { path: { client_id: clientId }, ...options })).session,
    },
    installations: {
      /** List the installations of the app. */
      list: (query: Query<'GET /auth/installation'> = {}, options?: CallOptions) =>
        request('GET', '/auth/installation', { query, ...options }),
    },
    permissions: {
      /** List all permissions. */
      list: async (options?: CallOptions) => (await open('GET', '/permission', { ...options })).permissions,
    },
    products: {
      /** List products. */
      list: listProducts,
      /** Every row of the list, page after page. */
      all: (query?: WholeList<Query<'GET /product'>>, options?: CallOptions) =>
        everyRow(listProducts, 'products', query, options),
      /** Create a product. */
      create: async (
        body: Body<'POST /product'>,
        { images, files, ...options }: FileOptions<'POST /product'> & UploadOptions = {},
      ) =>
        (await request('POST', '/product', { body, files: { 'images[]': images, 'files[]': files }, ...options }))
          .product,
      /** Fetch one product. */
      get: async (id: string, options?: CallOptions) =>
        (await request('GET', '/product/{id}', { path: { id }, ...options })).product,
      /** Delete a product. */
      delete: async (id: string, options?: UpdateOptions): Promise<void> => {
        await request('DELETE', '/product/{id}', { path: { id }, ...options })
      },
      /** Update a product. */
      update: async (
        id: string,
        body: Body<'POST /product/{id}/update'>,
        { images, files, ...options }: FileOptions<'POST /product/{id}/update'> & UploadOptions & UpdateOptions = {},
      ) =>
        (
          await request('POST', '/product/{id}/update', {
            path: { id },
            body,
            files: { 'images[]': images, 'files[]': files },
            ...options,
          })
        ).product,
    },
    categories: {
      /** List the product categories. */
      list: listCategories,
      /** Every row of the list, page after page. */
      all: (query?: WholeList<Query<'GET /category'>>, options?: CallOptions) =>
        everyRow(listCategories, 'categories', query, options),
      /** Create a product category. */
      create: async (body: Body<'POST /category'>, options?: WriteOptions) =>
        (await request('POST', '/category', { body, ...options })).category,
      /** Fetch one product category. */
      get: async (id: string, options?: CallOptions) =>
        (await request('GET', '/category/{id}', { path: { id }, ...options })).category,
      /** Rename a product category. */
      update: async (id: string, body: Body<'PUT /category/{id}'>, options?: UpdateOptions) =>
        (await request('PUT', '/category/{id}', { path: { id }, body, ...options })).category,
      /** Delete a product category. */
      delete: async (id: string, options?: UpdateOptions): Promise<void> => {
        await request('DELETE', '/category/{id}', { path: { id }, ...options })
      },
    },
    bundles: {
      /** List bundles. */
      list: listBundles,
      /** Every row of the list, page after page. */
      all: (query?: WholeList<Query<'GET /bundle'>>, options?: CallOptions) =>
        everyRow(listBundles, 'bundles', query, options),
      /** Create a bundle. */
      create: async (body: Body<'POST /bundle'>, options?: WriteOptions) =>
        (await request('POST', '/bundle', { body, ...options })).bundle,
      /** Fetch one bundle. */
      get: async (id: string, options?: CallOptions) =>
        (await request('GET', '/bundle/{id}', { path: { id }, ...options })).bundle,
      /** Update a bundle. */
      update: async (id: string, body: Body<'PUT /bundle/{id}'>, options?: UpdateOptions) =>
        (await request('PUT', '/bundle/{id}', { path: { id }, body, ...options })).bundle,
      /** Delete a bundle. */
      delete: async (id: string, options?: UpdateOptions): Promise<void> => {
        await request('DELETE', '/bundle/{id}', { path: { id }, ...options })
      },
    },
    orders: {
      /** List orders. */
      list: listOrders,
      /** Every row of the list, page after page. */
      all: (query?: WholeList<Query<'GET /order'>>, options?: CallOptions) =>
        everyRow(listOrders, 'orders', query, options),
      /** Create an order that was placed outside the platform. */
      create: async (body: Body<'POST /order'> = {}, options?: WriteOptions) =>
        (await request('POST', '/order', { body, ...options })).order,
      /** Fetch one order. */
      get: async (id: string, options?: CallOptions) =>
        (await request('GET', '/order/{id}', { path: { id }, ...options })).order,
      /** Update an order. */
      update: async (id: string, body: Body<'PUT /order/{id}'>, options?: UpdateOptions) =>
        (await request('PUT', '/order/{id}', { path: { id }, body, ...options })).order,
      /** Delete an order. */
      delete: async (id: string, options?: UpdateOptions): Promise<void> => {
        await request('DELETE', '/order/{id}', { path: { id }, ...options })
      },
      /** Update a delivery. */
      updateDelivery: async (
        deliveryId: string,
        body: Body<'PUT /order/delivery/{deliveryId}'>,
        options?: UpdateOptions,
      ) => (await request('PUT', '/order/delivery/{deliveryId}', { path: { deliveryId }, body, ...options })).delivery,
      /** Split a delivery. */
      splitDelivery: async (id: string, body: Body<'POST /order/{id}/delivery'>, options?: UpdateOptions) =>
        (await request('POST', '/order/{id}/delivery', { path: { id }, body, ...options })).delivery,
      /** Return items of an order. */
      return: async (id: string, body: Body<'POST /order/{id}/return'>, options?: UpdateOptions) =>
        (await request('POST', '/order/{id}/return', { path: { id }, body, ...options })).return,
      /** Refund an order in full or in part. */
      refund: async (id: string, body: Body<'POST /order/{id}/refund'>, options?: UpdateOptions) =>
        (await request('POST', '/order/{id}/refund', { path: { id }, body, ...options })).refund,
      /** Update a refund. */
      updateRefund: async (id: string, body: Body<'PUT /order/refund/{id}'>, options?: UpdateOptions) =>
        (await request('PUT', '/order/refund/{id}', { path: { id }, body, ...options })).refund,
      /** Download the orders as CSV. */
      export: (query: Query<'GET /order/export'> = {}, options?: CallOptions) =>
        request('GET', '/order/export', { query, ...options }),
      /** Record whether the customer confirms an order. */
      confirm: async (id: string, body: Body<'POST /order/{id}/confirmation'>, options?: UpdateOptions) =>
        (await request('POST', '/order/{id}/confirmation', { path: { id }, body, ...options })).order,
      /** Add a note to an order. */
      createOrderNote: async (id: string, body: Body<'POST /order/{id}/note'>, options?: UpdateOptions) =>
        (await request('POST', '/order/{id}/note', { path: { id }, body, ...options })).order,
      /** Merge another order into this one. */
      merge: async (id: string, body: Body<'POST /order/{id}/merge'>, options?: UpdateOptions) =>
        (await request('POST', '/order/{id}/merge', { path: { id }, body, ...options })).order,
      /** Change the lines of an order. */
      updateOrderLines: async (id: string, body: Body<'PUT /order/{id}/variants'>, options?: UpdateOptions) =>
        (await request('PUT', '/order/{id}/variants', { path: { id }, body, ...options })).order,
      /** List who has which order to confirm. */
      listClaims: async (options?: CallOptions) => (await request('GET', '/order/claim', { ...options })).claims,
      /** Take an order to confirm. */
      claim: async (body: Body<'POST /order/claim'> = {}, options?: WriteOptions) =>
        (await request('POST', '/order/claim', { body, ...options })).order,
    },
    claims: {
      /** List who has which order to confirm. */
      list: async (options?: CallOptions) => (await request('GET', '/order/claim', { ...options })).claims,
      /** Take an order to confirm. */
      claimOrder: async (body: Body<'POST /order/claim'> = {}, options?: WriteOptions) =>
        (await request('POST', '/order/claim', { body, ...options })).order,
    },
    parcels: {
      /** List the parcels of carriers. */
      list: listParcels,
      /** Every row of the list, page after page. */
      all: (query?: WholeList<Query<'GET /parcel'>>, options?: CallOptions) =>
        everyRow(listParcels, 'parcels', query, options),
      /** Count parcels and cash by carrier. */
      getParcelSummary: async (query: Query<'GET /parcel/summary'> = {}, options?: CallOptions) =>
        (await request('GET', '/parcel/summary', { query, ...options })).carriers,
      /** Record what a carrier says about its parcels. */
      updateParcelResults: async (body: Body<'POST /parcel/result'>, options?: WriteOptions) =>
        (await request('POST', '/parcel/result', { body, ...options })).results,
      /** Record that a carrier has paid what it collected. */
      updateParcelCash: async (body: Body<'POST /parcel/cash'>, options?: WriteOptions) =>
        (await request('POST', '/parcel/cash', { body, ...options })).parcels,
    },
    customers: {
      /** List customers. */
      list: listCustomers,
      /** Every row of the list, page after page. */
      all: (query?: WholeList<Query<'GET /customer'>>, options?: CallOptions) =>
        everyRow(listCustomers, 'customers', query, options),
      /** Create a customer. */
      create: async (body: Body<'POST /customer'>, options?: WriteOptions) =>
        (await request('POST', '/customer', { body, ...options })).customer,
      /** Fetch one customer. */
      get: async (id: string, options?: CallOptions) =>
        (await request('GET', '/customer/{id}', { path: { id }, ...options })).customer,
      /** Update a customer. */
      update: async (id: string, body: Body<'PUT /customer/{id}'>, options?: UpdateOptions) =>
        (await request('PUT', '/customer/{id}', { path: { id }, body, ...options })).customer,
      /** Delete a customer. */
      delete: async (
        id: string,
        query: Query<'DELETE /customer/{id}'> = {},
        options?: UpdateOptions,
      ): Promise<void> => {
        await request('DELETE', '/customer/{id}', { path: { id }, query, ...options })
      },
    },
    reviews: {
      /** List reviews. */
      list: listReviews,
      /** Every row of the list, page after page. */
      all: (query?: WholeList<Query<'GET /review'>>, options?: CallOptions) =>
        everyRow(listReviews, 'reviews', query, options),
      /** Create a review. */
      create: async (
        body: Body<'POST /review'>,
        { images, ...options }: FileOptions<'POST /review'> & UploadOptions = {},
      ) => (await request('POST', '/review', { body, files: { 'images[]': images }, ...options })).review,
      /** Fetch one review. */
      get: async (id: string, options?: CallOptions) =>
        (await request('GET', '/review/{id}', { path: { id }, ...options })).review,
      /** Update a review. */
      update: async (id: string, body: Body<'PUT /review/{id}'>, options?: UpdateOptions) =>
        (await request('PUT', '/review/{id}', { path: { id }, body, ...options })).review,
      /** Delete a review. */
      delete: async (id: string, options?: UpdateOptions): Promise<void> => {
        await request('DELETE', '/review/{id}', { path: { id }, ...options })
      },
    },
    landingPages: {
      /** List landing pages. */
      list: listLandingPages,
      /** Every row of the list, page after page. */
      all: (query?: WholeList<Query<'GET /landing-page'>>, options?: CallOptions) =>
        everyRow(listLandingPages, 'landingPages', query, options),
      /** Create a landing page. */
      create: async (body: Body<'POST /landing-page'>, options?: WriteOptions) =>
        (await request('POST', '/landing-page', { body, ...options })).landing_page,
      /** Fetch one landing page. */
      get: async (id: string, options?: CallOptions) =>
        (await request('GET', '/landing-page/{id}', { path: { id }, ...options })).landing_page,
      /** Update a landing page. */
      update: async (id: string, body: Body<'PUT /landing-page/{id}'>, options?: UpdateOptions) =>
        (await request('PUT', '/landing-page/{id}', { path: { id }, body, ...options })).landing_page,
      /** Delete a landing page. */
      delete: async (id: string, options?: UpdateOptions): Promise<void> => {
        await request('DELETE', '/landing-page/{id}', { path: { id }, ...options })
      },
      /** Publish a landing page. */
      publish: async (id: string, options?: UpdateOptions) =>
        (await request('POST', '/landing-page/{id}/publish', { path: { id }, ...options })).landing_page,
      /** Take back the publication of a landing page. */
      unpublish: async (id: string, options?: UpdateOptions) =>
        (await request('POST', '/landing-page/{id}/unpublish', { path: { id }, ...options })).landing_page,
    },
    files: {
      /** List files. */
      list: listFiles,
      /** Every row of the list, page after page. */
      all: (query?: WholeList<Query<'GET /file'>>, options?: CallOptions) =>
        everyRow(listFiles, 'files', query, options),
      /** Upload a file. */
      upload: async (file: Upload, body: Body<'POST /file'> = {}, options?: UploadOptions) =>
        (await request('POST', '/file', { body, files: { file }, ...options })).file,
      /** Fetch one file. */
      get: async (id: string, options?: CallOptions) =>
        (await request('GET', '/file/{id}', { path: { id }, ...options })).file,
      /** Delete a file. */
      delete: async (id: string, options?: UpdateOptions): Promise<void> => {
        await request('POST', '/file/{id}', { path: { id }, ...options })
      },
      /** Change the alternative text of a file. */
      update: async (id: string, body: Body<'PUT /file/{id}'>, options?: UpdateOptions) =>
        (await request('PUT', '/file/{id}', { path: { id }, body, ...options })).file,
      /** List what uses a file. */
      listFileLinks: async (id: string, options?: CallOptions) =>
        (await request('GET', '/file/{id}/link', { path: { id }, ...options })).links,
      /** Delete files that nothing uses. */
      deleteUnusedFiles: async (body: Body<'POST /file/unused'>, options?: WriteOptions) =>
        (await request('POST', '/file/unused', { body, ...options })).files,
      /** Unlink a file from a resource. */
      unlink: async (
        id: string,
        fileableType: Path<'DELETE /file/{id}/link/{fileable_type}/{fileable_id}'>['fileable_type'],
        fileableId: string,
        options?: UpdateOptions,
      ) =>
        (
          await request('DELETE', '/file/{id}/link/{fileable_type}/{fileable_id}', {
            path: { id, fileable_type: fileableType, fileable_id: fileableId },
            ...options,
          })
        ).file,
    },
    links: {
      /** List what uses a file. */
      list: async (id: string, options?: CallOptions) =>
        (await request('GET', '/file/{id}/link', { path: { id }, ...options })).links,
      /** Unlink a file from a resource. */
      unlinkFile: async (
        id: string,
        fileableType: Path<'DELETE /file/{id}/link/{fileable_type}/{fileable_id}'>['fileable_type'],
        fileableId: string,
        options?: UpdateOptions,
      ) =>
        (
          await request('DELETE', '/file/{id}/link/{fileable_type}/{fileable_id}', {
            path: { id, fileable_type: fileableType, fileable_id: fileableId },
            ...options,
          })
        ).file,
    },
    events: {
      /** Read the changes of the store. */
      list: (query: Query<'GET /event'> = {}, options?: CallOptions) => request('GET', '/event', { query, ...options }),
      /** Fetch one event. */
      get: async (id: string, options?: CallOptions) =>
        (await request('GET', '/event/{id}', { path: { id }, ...options })).event,
    },
    webhooks: {
      /** List webhooks. */
      list: async (options?: CallOptions) => (await request('GET', '/webhook', { ...options })).webhooks,
      /** Create a webhook. */
      create: async (body: Body<'POST /webhook'>, options?: WriteOptions) =>
        (await request('POST', '/webhook', { body, ...options })).webhook,
      /** Fetch one webhook. */
      get: async (id: string, options?: CallOptions) =>
        (await request('GET', '/webhook/{id}', { path: { id }, ...options })).webhook,
      /** Update a webhook. */
      update: async (id: string, body: Body<'PUT /webhook/{id}'>, options?: UpdateOptions) =>
        (await request('PUT', '/webhook/{id}', { path: { id }, body, ...options })).webhook,
      /** Delete a webhook. */
      delete: async (id: string, options?: UpdateOptions): Promise<void> => {
        await request('DELETE', '/webhook/{id}', { path: { id }, ...options })
      },
      /** Rotate the secret of a webhook. */
      rotate: async (id: string, body: Body<'POST /webhook/{id}/rotate-secret'>, options?: UpdateOptions) =>
        (await request('POST', '/webhook/{id}/rotate-secret', { path: { id }, body, ...options })).webhook,
      /** Pause a webhook. */
      pause: async (id: string, options?: UpdateOptions) =>
        (await request('POST', '/webhook/{id}/pause', { path: { id }, ...options })).webhook,
      /** Resume a webhook. */
      resume: async (id: string, body: Body<'POST /webhook/{id}/resume'>, options?: UpdateOptions) =>
        (await request('POST', '/webhook/{id}/resume', { path: { id }, body, ...options })).webhook,
      /** Send a test event. */
      test: async (id: string, options?: UpdateOptions) =>
        (await request('POST', '/webhook/{id}/test', { path: { id }, ...options })).test,
      /** Send events again. */
      replay: async (id: string, body: Body<'POST /webhook/{id}/replay'>, options?: UpdateOptions) =>
        (await request('POST', '/webhook/{id}/replay', { path: { id }, body, ...options })).replay,
      /** Read the delivery log of a webhook. */
      getWebhookDeliveries: (id: string, query: Query<'GET /webhook/{id}/delivery'> = {}, options?: CallOptions) =>
        request('GET', '/webhook/{id}/delivery', { path: { id }, query, ...options }),
    },
    carriers: {
      /** List the shipping carriers. */
      list: async (query: Query<'GET /shipping-carrier'> = {}, options?: CallOptions) =>
        (await request('GET', '/shipping-carrier', { query, ...options })).carriers,
      /** Create a shipping carrier. */
      create: async (body: Body<'POST /shipping-carrier'>, options?: WriteOptions) =>
        (await request('POST', '/shipping-carrier', { body, ...options })).carrier,
      /** Fetch one shipping carrier. */
      get: async (id: string, options?: CallOptions) =>
        (await request('GET', '/shipping-carrier/{id}', { path: { id }, ...options })).carrier,
      /** Update a shipping carrier. */
      update: async (id: string, body: Body<'PUT /shipping-carrier/{id}'>, options?: UpdateOptions) =>
        (await request('PUT', '/shipping-carrier/{id}', { path: { id }, body, ...options })).carrier,
      /** Delete a shipping carrier. */
      delete: async (id: string, options?: UpdateOptions) =>
        (await request('DELETE', '/shipping-carrier/{id}', { path: { id }, ...options })).carrier,
    },
    jobs: {
      /** List bulk jobs. */
      list: listJobs,
      /** Every row of the list, page after page. */
      all: (query?: WholeList<Query<'GET /bulk'>>, options?: CallOptions) => everyRow(listJobs, 'jobs', query, options),
      /** Import many lines. */
      create: async (body: Body<'POST /bulk'> = [], query: Query<'POST /bulk'> = {}, options?: WriteOptions) =>
        (await request('POST', '/bulk', { query, body, ...options })).job,
      /** Fetch one bulk job. */
      get: async (id: string, options?: CallOptions) =>
        (await request('GET', '/bulk/{id}', { path: { id }, ...options })).job,
      /** Cancel a bulk job. */
      delete: async (id: string, options?: UpdateOptions) =>
        (await request('DELETE', '/bulk/{id}', { path: { id }, ...options })).job,
      /** Download the results of a bulk job. */
      exportBulkResult: (id: string, options?: CallOptions) =>
        request('GET', '/bulk/{id}/result', { path: { id }, ...options }),
    },
    payment_methods: {
      /** List payment methods. */
      list: listPaymentMethods,
      /** Every row of the list, page after page. */
      all: (query?: WholeList<Query<'GET /payment-method'>>, options?: CallOptions) =>
        everyRow(listPaymentMethods, 'payment_methods', query, options),
      /** Fetch one payment method. */
      get: async (id: string, options?: CallOptions) =>
        (await request('GET', '/payment-method/{id}', { path: { id }, ...options })).payment_method,
      /** Update a payment method. */
      update: async (id: string, body: Body<'PUT /payment-method/{id}'>, options?: UpdateOptions) =>
        (await request('PUT', '/payment-method/{id}', { path: { id }, body, ...options })).payment_method,
    },
    domains: {
      /** List domains. */
      list: listDomains,
      /** Every row of the list, page after page. */
      all: (query?: WholeList<Query<'GET /domain'>>, options?: CallOptions) =>
        everyRow(listDomains, 'domains', query, options),
      /** Create a domain. */
      create: async (body: Body<'POST /domain'>, options?: WriteOptions) =>
        (await request('POST', '/domain', { body, ...options })).domain,
      /** Fetch one domain. */
      get: async (id: string, options?: CallOptions) =>
        (await request('GET', '/domain/{id}', { path: { id }, ...options })).domain,
      /** Update a domain. */
      update: async (id: string, body: Body<'PUT /domain/{id}'>, options?: UpdateOptions) =>
        (await request('PUT', '/domain/{id}', { path: { id }, body, ...options })).domain,
      /** Delete a domain. */
      delete: async (id: string, options?: UpdateOptions): Promise<void> => {
        await request('DELETE', '/domain/{id}', { path: { id }, ...options })
      },
    },
    policies: {
      /** List policies. */
      list: listPolicies,
      /** Every row of the list, page after page. */
      all: (query?: WholeList<Query<'GET /policy'>>, options?: CallOptions) =>
        everyRow(listPolicies, 'policies', query, options),
      /** Create a policy. */
      create: async (body: Body<'POST /policy'>, options?: WriteOptions) =>
        (await request('POST', '/policy', { body, ...options })).policy,
      /** Fetch one policy. */
      get: async (id: string, options?: CallOptions) =>
        (await request('GET', '/policy/{id}', { path: { id }, ...options })).policy,
      /** Update a policy. */
      update: async (id: string, body: Body<'PUT /policy/{id}'>, options?: UpdateOptions) =>
        (await request('PUT', '/policy/{id}', { path: { id }, body, ...options })).policy,
      /** Delete a policy. */
      delete: async (id: string, options?: UpdateOptions): Promise<void> => {
        await request('DELETE', '/policy/{id}', { path: { id }, ...options })
      },
    },
    countries: {
      /** List the countries. */
      list: async (options?: CallOptions) => (await request('GET', '/country', { ...options })).countries,
    },
    plans: {
      /** List the plans on offer, the plan of the store and what it uses. */
      list: (options?: CallOptions) => request('GET', '/plan', { ...options }),
      /** Switch the store to another plan. */
      switch: async (body: Body<'POST /plan/switch'>, options?: WriteOptions) =>
        (await request('POST', '/plan/switch', { body, ...options })).plan_switch,
    },
    invoices: {
      /** List invoices. */
      list: listInvoices,
      /** Every row of the list, page after page. */
      all: (query?: WholeList<Query<'GET /invoice'>>, options?: CallOptions) =>
        everyRow(listInvoices, 'invoices', query, options),
      /** Fetch one invoice. */
      get: async (id: string, options?: CallOptions) =>
        (await request('GET', '/invoice/{id}', { path: { id }, ...options })).invoice,
      /** Find out where to pay an invoice. */
      pay: async (id: string, options?: UpdateOptions) =>
        (await request('POST', '/invoice/{id}/pay', { path: { id }, ...options })).payment,
    },
    stock: {
      /** List what changed the stock of a variant. */
      getStockHistory: (id: string, query: Query<'GET /stock/{id}/history'> = {}, options?: CallOptions) =>
        request('GET', '/stock/{id}/history', { path: { id }, query, ...options }),
      /** Change the stock of many variants. */
      update: async (body: Body<'POST /stock'>, query: Query<'POST /stock'> = {}, options?: WriteOptions) =>
        (await request('POST', '/stock', { query, body, ...options })).stock,
    },
    phone: {
      /** Fetch what is known about a phone number. */
      getPhoneNumber: async (number: string, options?: CallOptions) =>
        (await request('GET', '/phone/{number}', { path: { number }, ...options })).phone,
    },
    setting: {
      /** Fetch the settings of the store. */
      getSettings: async (options?: CallOptions) => (await request('GET', '/setting', { ...options })).setting,
      /** Update the settings of the store. */
      updateSettings: async (body: Body<'PUT /setting'> = {}, options?: UpdateOptions) =>
        (await request('PUT', '/setting', { body, ...options })).setting,
    },
    analytic: {
      /** Orders, payments and revenue over time. */
      getSalesAnalytics: (query: Query<'GET /analytic/sales'> = {}, options?: CallOptions) =>
        request('GET', '/analytic/sales', { query, ...options }),
      /** Sales by product. */
      getProductAnalytics: (query: Query<'GET /analytic/products'> = {}, options?: CallOptions) =>
        request('GET', '/analytic/products', { query, ...options }),
      /** New and returning customers over time. */
      getCustomerAnalytics: (query: Query<'GET /analytic/customers'> = {}, options?: CallOptions) =>
        request('GET', '/analytic/customers', { query, ...options }),
      /** Delivery success over time, by carrier and by city. */
      getDeliveryAnalytics: (query: Query<'GET /analytic/delivery'> = {}, options?: CallOptions) =>
        request('GET', '/analytic/delivery', { query, ...options }),
      /** From landing page to delivered revenue. */
      getLandingPageAnalytics: (query: Query<'GET /analytic/landing-pages'> = {}, options?: CallOptions) =>
        request('GET', '/analytic/landing-pages', { query, ...options }),
      /** Delivery success by the level of the orders. */
      getLevelAnalytics: (query: Query<'GET /analytic/levels'> = {}, options?: CallOptions) =>
        request('GET', '/analytic/levels', { query, ...options }),
      /** Products that are or will soon be out of stock. */
      getStockAnalytics: (query: Query<'GET /analytic/stock'> = {}, options?: CallOptions) =>
        request('GET', '/analytic/stock', { query, ...options }),
    },
  }
}
