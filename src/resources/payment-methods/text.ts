import { array, object, value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText } from '../../core/storage/sql.ts'

interface PaymentMethodRow {
  id: string
  name: string
  status: string
  payment_types: string[]
  connected: boolean
}

export const paymentMethodKind = rowKind<unknown>({
  table: 'payment_method',
  columns: sqlText`id, name, status, payment_types, connected`,
  texts: (row: PaymentMethodRow) => [
    [
      row.id,
      object({
        id: value(row.id),
        name: value(row.name),
        status: value(row.status),
        payment_types: array(row.payment_types.map(value)),
        connected: value(row.connected),
      }),
    ],
  ],
})
