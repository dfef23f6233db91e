import { object, value } from '../../../src/core/reading/json-text.ts'
import { rowKind } from '../../../src/core/reading/texts.ts'
import { sqlText } from '../../../src/core/storage/sql.ts'
import type { Discount } from './schema.ts'
import type {} from './tables.ts'

interface DiscountRow {
  id: string
  code: string
  status: string
  product_id: string | null
  created_at: string
}

export const discountKind = rowKind<unknown>({
  table: 'discount',
  columns: sqlText`id, code, status, product_id, iso(created_at) as created_at`,
  texts: (row: DiscountRow) => [
    [
      row.id,
      object<Discount>({
        id: value(row.id),
        code: value(row.code),
        status: value(row.status),
        product_id: value(row.product_id),
        created_at: value(row.created_at),
      }),
    ],
  ],
})
