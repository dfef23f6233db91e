import type { Filter } from '../../core/reading/filters.ts'
import { since, until, updatedFilters } from '../../core/reading/filters.ts'
import type { List } from '../../core/reading/list.ts'
import { BY_CREATION, BY_UPDATE } from '../../core/reading/row-counts.ts'
import { identifier, joinSql, OR, sqlText, t } from '../../core/storage/sql.ts'
import { OWNER_KINDS, type OwnerKind } from './rules.ts'

/** Lower case and without duplicates. Any type (two stars) means no filter. */
export const requestedTypes = (types: string[] | undefined): string[] | undefined => {
  const lowerCase = types?.map((type) => type.toLowerCase())
  return lowerCase?.includes('*/*') ? undefined : lowerCase && [...new Set(lowerCase)]
}

/** `image/png` and `image/*` each have an index in the order of the list. */
const mimeType: Filter = {
  condition: (types: string[], { statement: { bind } }) => {
    const conditions = types.map((type) => {
      const [kind, detail] = type.split('/')
      return detail === '*'
        ? sqlText`split_part(f.mime_type, '/', 1) = ${bind(kind)}`
        : sqlText`f.mime_type = ${bind(type)}`
    })
    return sqlText`(${joinSql(conditions, OR)})`
  },
  counted: true,
}

const isOwnerKind = (kind: unknown): kind is OwnerKind => OWNER_KINDS.includes(kind as OwnerKind)

/** A constant and not a bound value: each kind has a partial index. */
const linkedToKind: Filter = {
  condition: (kind: OwnerKind, { query }) =>
    query.fileable_id === undefined && isOwnerKind(kind)
      ? sqlText`'${identifier(kind)}' = any(f.owner_kinds)`
      : undefined,
  counted: true,
}

const linkedTo: Filter = {
  condition: (owner: string, { statement: { bind }, store, query: { fileable_type: kind } }) => {
    const [ofStore, id] = [bind(store), bind(owner)]
    const links = (isOwnerKind(kind) ? [kind] : OWNER_KINDS).map(
      (kind) =>
        sqlText`select l.file_id from ${t.file_link} l where l.store_id = ${ofStore} and l.${identifier(kind)}_id = ${id}`,
    )
    return sqlText`f.id in (${joinSql(links, sqlText` union all `)})`
  },
}

/** Whose texts have addresses of files. */
const TEXTS = ['product', 'landing_page', 'policy'] as const

/** The logo of the store is used, too, and what stands in texts, though nothing is linked to it. */
const linked: Filter = {
  condition: (wanted: boolean, { statement: { bind }, store }) => {
    const ofStore = bind(store)
    const logo = sqlText`(select s.logo_id from ${t.store} s where s.id = ${ofStore})`
    const texts = TEXTS.map(
      (table) => sqlText`exists (select 1 from ${t[table]} x
        where x.store_id = ${ofStore} and x.file_ids @> array[f.id::text])`,
    )
    return wanted
      ? sqlText`(f.owner_kinds <> '{}' or f.id = ${logo} or ${joinSql(texts, OR)})`
      : sqlText`(f.owner_kinds = '{}' and f.id is distinct from ${logo} and not (${joinSql(texts, OR)}))`
  },
}

export const fileList: List = {
  key: 'files',
  kind: 'file',
  table: 'file',
  alias: sqlText`f`,
  rowCounts: { days: [BY_CREATION, BY_UPDATE] },
  filters: {
    fileable_type: linkedToKind,
    fileable_id: linkedTo,
    mime_type: mimeType,
    linked,
    from: since(sqlText`f.created_at`),
    to: until(sqlText`f.created_at`),
    ...updatedFilters(sqlText`f.updated_at`),
  },
  sorts: {
    created_at: { sql: sqlText`f.created_at`, type: 'timestamptz' },
    updated_at: { sql: sqlText`f.updated_at`, type: 'timestamptz' },
  },
}
