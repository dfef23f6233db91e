import { type ListSource, orExactly } from '../../components/list-query.ts'
import type { Order } from './labels.ts'

/** Where the list of orders comes from. */
export const ORDERS: ListSource<Order> = {
  list: 'orders',
  parameters: [
    'status',
    'exclude_status',
    'delivery_status',
    'return_status',
    'refund_status',
    'customer_id',
    'product_id',
    'landing_page_id',
    'carrier_id',
    'tracking_number',
    'phone',
    'level',
    'duplicate',
    'confirmation',
    'is_cancelled',
    'is_archived',
    'from',
    'to',
  ],
  slow: ['level', 'duplicate'],
  load: orExactly('tracking_number', async (client, query, signal) => {
    const { orders, pagination } = await client.orders.list(query, { signal })
    return { rows: orders, pagination }
  }),
}
