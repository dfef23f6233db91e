import type { FastifyReply } from 'fastify'
import type { FileLinks } from '../files/links.ts'
import type { StoreId } from '../http/access.ts'
import { existence, finder } from '../http/find-one.ts'
import { listPage } from '../http/paging.ts'
import type { Db } from '../storage/database.ts'
import { findFew, orderConditions } from './filters.ts'
import { orderJson } from './json.ts'
import { orderListing } from './listing.ts'
import type { OrderQuery } from './schema.ts'

export const listOrders = async (db: Db, reply: FastifyReply, links: FileLinks, store: StoreId, query: OrderQuery) => {
  const found = await findFew(db, store, query)
  return listPage(db, reply, orderListing(links), query, store, (statement) =>
    orderConditions(statement, store, query, found),
  )
}

export const renderOrder = finder('orders', orderJson)

export const orderExists = existence('orders')
