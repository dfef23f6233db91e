import { object, value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { readableHost } from './host-name.ts'
import type { Domain } from './schema.ts'

interface DomainRow {
  id: string
  host: string
  is_primary: boolean
  created_at: string
  updated_at: string
}

export const domainKind = rowKind<unknown>({
  table: 'domain',
  columns: sqlText`id, host, is_primary, iso(created_at) as created_at, iso(updated_at) as updated_at`,
  texts: (row: DomainRow) => [
    [
      row.id,
      object<Domain>({
        id: value(row.id),
        host: value(row.host),
        unicode_host: value(readableHost(row.host)),
        is_primary: value(row.is_primary),
        created_at: value(row.created_at),
        updated_at: value(row.updated_at),
      }),
    ],
  ],
})
