import type { FastifyReply } from 'fastify'
import type { FileLinks } from '../files/links.ts'
import type { StoreId } from '../http/access.ts'
import { listPage } from '../http/paging.ts'
import type { Db } from '../storage/database.ts'
import { Statement } from '../storage/statement.ts'
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

export const renderOrder = async (db: Db, links: FileLinks, store: StoreId, id: string) => {
  const statement = new Statement()
  const [row] = await statement.run<{ json: string }>(
    db,
    `select ${orderJson(statement, links, 'o')}::text as json from orders o
     where o.store_id = ${statement.bind(store)} and o.id = ${statement.bind(id)}`,
  )
  return row?.json
}

export const orderExists = async (db: Db, store: StoreId, id: string) =>
  (await db.selectFrom('orders').select('id').where('store_id', '=', store).where('id', '=', id).executeTakeFirst()) !==
  undefined
