import { object, value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText } from '../../core/storage/sql.ts'
import type { Carrier } from './schema.ts'

export interface CarrierRow {
  id: string
  name: string
  code: string
  status: string
  tracking_url: string | null
}

export const CARRIER_COLUMNS = sqlText`id, name, code, status, tracking_url`

export const carrierText = (row: CarrierRow) =>
  object<Carrier>({
    id: value(row.id),
    name: value(row.name),
    code: value(row.code),
    status: value(row.status),
    tracking_url: value(row.tracking_url),
  })

export const carrierKind = rowKind<unknown>({
  table: 'shipping_carrier',
  columns: CARRIER_COLUMNS,
  texts: (row: CarrierRow) => [[row.id, carrierText(row)]],
})
