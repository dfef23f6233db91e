import { object, value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText } from '../../core/storage/sql.ts'
import type { Policy } from './schema.ts'
import type {} from './tables.ts'

interface PolicyRow {
  id: string
  type: string
  title: string
  slug: string
  content: string
  is_published: boolean
  created_at: string
  updated_at: string
}

export const policyKind = rowKind<unknown>({
  table: 'policy',
  columns: sqlText`id, type, title, slug, content, is_published, iso(created_at) as created_at,
    iso(updated_at) as updated_at`,
  texts: (row: PolicyRow) => [
    [
      row.id,
      object<Policy>({
        id: value(row.id),
        type: value(row.type),
        title: value(row.title),
        slug: value(row.slug),
        content: value(row.content),
        is_published: value(row.is_published),
        created_at: value(row.created_at),
        updated_at: value(row.updated_at),
      }),
    ],
  ],
})
