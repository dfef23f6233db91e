import { rowKind } from '../reading/texts.ts'
import { sqlText } from '../storage/sql.ts'

interface DomainRow {
  id: string
  domain: string
}

/** The domain of the store, to stand inside a JSON string. The hole names the store. */
export const storeDomainKind = rowKind<unknown>({
  table: 'store',
  storeColumn: sqlText`id`,
  columns: sqlText`id, domain`,
  texts: ({ id, domain }: DomainRow) => [[id, JSON.stringify(domain).slice(1, -1)]],
})
