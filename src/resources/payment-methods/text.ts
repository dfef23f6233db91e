import { object, value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText } from '../../core/storage/sql.ts'
import type { PaymentMethod } from './schema.ts'

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
      object<PaymentMethod>({
        id: value(row.id),
        name: value(row.name),
        status: value(row.status),
        payment_types: value(row.payment_types),
        connected: value(row.connected),
      }),
    ],
  ],
})
