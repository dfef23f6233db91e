import type { Config } from '../config/config.ts'
import { bundleRows } from './bundles.ts'
import { customerIdOf, customerRows } from './customers.ts'
import { frontImageId, makeFiles } from './files.ts'
import { makePages } from './landing-pages.ts'
import { randomPeople } from './names-and-places.ts'
import { orderRows, withOutcomes } from './order-rows.ts'
import { catalogueRows, makeProducts } from './products.ts'
import { makeReviews } from './reviews.ts'
import { makeSales } from './sales.ts'
import { carrierRows, categoryRows, domainRows, paymentRows, policyRows, STORE } from './store.ts'
import type { Rows } from './write-rows.ts'

const CUSTOMERS = 200
const ORDERS = 1_000
const REVIEWS = 150
const PICTURED_REVIEWS = 8

/** All rows of the demo store except the store, its app and its files. They are the same each time. */
export const makeDemoRows = ({ baseUrl }: Config) => {
  const products = makeProducts()
  const customers = randomPeople('customers', CUSTOMERS)
  const strangers = randomPeople('strangers', 40)
  const pages = makePages(products, (product) => `${baseUrl}/files/${STORE.id}/${frontImageId(product)}`)
  const orders = withOutcomes(makeSales({ products, pages: pages.landingPages, customers, strangers }, ORDERS))
  const reviews = makeReviews(products, customers, REVIEWS)
  const pictured = reviews.filter(({ status }) => status === 'published').slice(-PICTURED_REVIEWS)
  const rows: Rows = {
    category: categoryRows,
    shipping_carrier: carrierRows,
    payment_method: paymentRows,
    domain: domainRows,
    policy: policyRows,
    ...catalogueRows(products),
    ...bundleRows(products),
    landing_page: pages.rows,
    customer: customerRows(customers, orders),
    ...orderRows(orders, customerIdOf),
    review: reviews,
  }
  return { rows, files: makeFiles(products, pages.landingPages, pictured) }
}
