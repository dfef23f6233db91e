import type { FastifyReply } from 'fastify'
import type { FileLinks } from '../files/file-urls.ts'
import type { StoreId } from '../http/access.ts'
import { existence, finder, versioned } from '../reading/find-one.ts'
import { listPage } from '../reading/list-page.ts'
import { type First, totalOf } from '../reading/matching-ids.ts'
import { onlyFilter } from '../reading/row-counts.ts'
import type { Db } from '../storage/database.ts'
import type { Statement } from '../storage/statement.ts'
import { findOrders, orderConditions } from './filters.ts'
import { orderJson } from './json.ts'
import { orderListing } from './list.ts'
import type { OrderQuery } from './schema.ts'

/** What a search by date and nothing else has to find: no more than the page and those before it. */
const firstByDate = (query: OrderQuery): First | undefined => {
  const alone = query.order_by === 'date' && query.cursor === undefined && onlyFilter(query) === 'search'
  return alone ? { many: query.page * query.page_size + 1, direction: query.order_direction } : undefined
}

export const listOrders = async (db: Db, reply: FastifyReply, links: FileLinks, store: StoreId, query: OrderQuery) => {
  const found = await findOrders(db, store, query, firstByDate(query))
  const where = (statement: Statement) => orderConditions(statement, store, query, found)
  return listPage(db, reply, orderListing(links), query, store, where, totalOf(query, found))
}

export const renderOrder = finder('orders', orderJson)

export const orderVersion = versioned('orders', renderOrder)

export const orderExists = existence('orders')
