import type { FastifyReply } from 'fastify'
import { bindFileUrls, type FileUrls } from '../files/file-urls.ts'
import { createExistenceCheck, createFinder, createRender, versioned } from '../reading/find-one.ts'
import { listPage } from '../reading/list-page.ts'
import { type FirstMatches, totalOfMatches } from '../reading/matching-ids.ts'
import { onlyFilter } from '../reading/row-counts.ts'
import type { Db } from '../storage/database.ts'
import type { Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { findOrders, orderConditions } from './filters.ts'
import { orderJson } from './json.ts'
import { orderListing } from './list.ts'
import type { OrderQuery } from './schema.ts'

/** What a search by date and nothing else has to find: no more than the page and those before it. */
const firstByDate = (query: OrderQuery): FirstMatches | undefined => {
  const alone = query.order_by === 'date' && query.cursor === undefined && onlyFilter(query) === 'search'
  return alone ? { limit: query.page * query.page_size + 1, direction: query.order_direction } : undefined
}

export const listOrders = async (
  db: Db,
  reply: FastifyReply,
  fileUrls: FileUrls,
  store: StoreId,
  query: OrderQuery,
) => {
  const found = await findOrders(db, store, query, firstByDate(query))
  const where = (statement: Statement) => orderConditions(statement, store, query, found)
  return listPage(db, reply, orderListing(fileUrls), query, store, where, totalOfMatches(query, found))
}

export const renderOrder = createFinder('orders', orderJson, bindFileUrls)

/** For the latest order of a customer. */
export const renderOrders = createRender('orders', orderJson, bindFileUrls)

export const orderVersion = versioned('orders', renderOrder)

export const orderExists = createExistenceCheck('orders')
