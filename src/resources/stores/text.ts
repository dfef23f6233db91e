import { escaped } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText } from '../../core/storage/sql.ts'

interface DomainRow {
  id: string
  domain: string
}

/** The domain of the store, without quotes, for use inside a JSON string. The hole refers to the store. */
export const storeDomainKind = rowKind<unknown>({
  table: 'store',
  storeColumn: sqlText`id`,
  columns: sqlText`id, domain`,
  texts: ({ id, domain }: DomainRow) => [[id, escaped(domain)]],
})
