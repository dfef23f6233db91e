import { object, value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText } from '../../core/storage/sql.ts'
import type { Category } from './schema.ts'

export const categoryKind = rowKind<unknown>({
  table: 'category',
  columns: sqlText`id, name`,
  texts: ({ id, name }: { id: string; name: string }) => [[id, object<Category>({ id: value(id), name: value(name) })]],
})
