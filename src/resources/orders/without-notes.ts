import { elementsOf, fieldsOf, withFields } from '../../core/reading/json-parts.ts'
import { array, type JsonText, NULL } from '../../core/reading/json-text.ts'
import type { Order, OrderEvent } from './schema.ts'

/** Most orders have no note. Inside of strings, quotes are escaped. */
const NOTE = '"note":"'

const withoutNote = (entry: JsonText<OrderEvent>) => withFields<OrderEvent, 'note'>(entry, { note: NULL })

/** The text of an order without what people have noted in its history. */
export const withoutNotes = (order: string) => {
  if (!order.includes(NOTE)) return order
  const text = order as JsonText<Order>
  const entries = elementsOf(fieldsOf(text).history)
  return withFields<Order, 'history'>(text, { history: array(entries.map(withoutNote)) })
}
