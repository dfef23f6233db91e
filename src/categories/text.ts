import { object, value } from '../reading/json-text.ts'
import { rowKind } from '../reading/texts.ts'
import { sqlText } from '../storage/sql.ts'

export const categoryKind = rowKind<unknown>({
  table: 'category',
  columns: sqlText`id, name`,
  texts: ({ id, name }: { id: string; name: string }) => [[id, object({ id: value(id), name: value(name) })]],
})
