import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { holdsStock } from './rules.ts'
import type { OrderStatus } from './schema.ts'
import { restockReturn } from './stock.ts'

interface Waiting {
  order_variant_id: string
  quantity: number
  restock: boolean
}

/** Puts the units of a received return into stock, if they have waited for that. Once: they do not wait any more. */
export const receiveReturn = async (
  db: Tx,
  store: StoreId,
  order: { id: string; status: string; is_cancelled: boolean },
  returned: string,
) => {
  const { rows: waiting } = await sql<Waiting>`
    select order_line_id as order_variant_id, quantity, restock from return_line
    where store_id = ${store} and return_id = ${returned} and awaits_receipt`.execute(db)
  if (waiting.length === 0) return
  const counts = holdsStock({ ...order, status: order.status as OrderStatus })
  await restockReturn(db, store, { id: order.id, counts }, waiting, { isReceived: true })
  await sql`update return_line set awaits_receipt = false
    where store_id = ${store} and return_id = ${returned} and awaits_receipt`.execute(db)
}
