import type { Config } from '../config/config.ts'
import type { Blobs } from '../storage/blobs/blobs.ts'
import { bundleRows } from './bundles.ts'
import { customerIdOf, customerRows } from './customers.ts'
import { frontImageId, makeFiles, placeFiles } from './files.ts'
import { orderRows, withOutcomes } from './order-rows.ts'
import { makePages } from './pages.ts'
import { randomPeople } from './people.ts'
import { catalogueRows, makeProducts } from './products.ts'
import { makeReviews } from './reviews.ts'
import { makeSales } from './sales.ts'
import { carrierRows, categoryRows, domainRows, paymentRows, policyRows, STORE } from './store.ts'
import type { Rows } from './write-rows.ts'

const CUSTOMERS = 200
const ORDERS = 1_000
const REVIEWS = 150
const PICTURED_REVIEWS = 8

/** All rows of the demo store except the store and its app. They are the same each time. */
export const makeDemoRows = async (blobs: Blobs, { baseUrl }: Config): Promise<Rows> => {
  const products = makeProducts()
  const customers = randomPeople('customers', CUSTOMERS)
  const strangers = randomPeople('strangers', 40)
  const pages = makePages(products, (product) => `${baseUrl}/files/${STORE.id}/${frontImageId(product)}`)
  const orders = withOutcomes(makeSales({ products, pages: pages.landingPages, customers, strangers }, ORDERS))
  const reviews = makeReviews(products, customers, REVIEWS)
  const pictured = reviews.filter(({ status }) => status === 'published').slice(-PICTURED_REVIEWS)
  const { blob, file, file_link } = await placeFiles(blobs, makeFiles(products, pages.landingPages, pictured))
  return {
    category: categoryRows,
    shipping_carrier: carrierRows,
    payment_method: paymentRows,
    domain: domainRows,
    policy: policyRows,
    blob,
    file,
    ...catalogueRows(products),
    ...bundleRows(products),
    landing_page: pages.rows,
    customer: customerRows(customers, orders),
    ...orderRows(orders, customerIdOf),
    review: reviews,
    file_link,
  }
}
