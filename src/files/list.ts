import { since, until, updatedFilters } from '../reading/date-filters.ts'
import type { Filter, List } from '../reading/list.ts'
import { BY_CREATION, BY_UPDATE } from '../reading/row-counts.ts'
import { OWNER_KINDS, type OwnerKind } from './rules.ts'

/** As the list looks for them: in small letters, each once; any type (two stars) is no filter at all. */
export const requestedTypes = (types: string[] | undefined): string[] | undefined => {
  const asked = types?.map((type) => type.toLowerCase())
  return asked?.includes('*/*') ? undefined : asked && [...new Set(asked)]
}

/** `image/png` and `image/*` each have an index in the sequence of the list. */
const mimeType: Filter = {
  condition: (types: string[], { statement: { bind } }) => {
    const conditions = types.map((type) => {
      const [kind, detail] = type.split('/')
      return detail === '*' ? `split_part(f.mime_type, '/', 1) = ${bind(kind)}` : `f.mime_type = ${bind(type)}`
    })
    return `(${conditions.join(' or ')})`
  },
  counted: true,
}

const isOwnerKind = (given: unknown): given is OwnerKind => OWNER_KINDS.includes(given as OwnerKind)

/** A constant of the schema in the text: each kind has an index of its own. */
const linkedToKind: Filter = {
  condition: (kind: OwnerKind, { query }) =>
    query.fileable_id === undefined && isOwnerKind(kind) ? `'${kind}' = any(f.owner_kinds)` : undefined,
  counted: true,
}

const linkedTo: Filter = {
  condition: (owner: string, { statement: { bind }, store, query: { fileable_type: kind } }) => {
    const [inStore, id] = [bind(store), bind(owner)]
    const links = (isOwnerKind(kind) ? [kind] : OWNER_KINDS).map(
      (kind) => `select l.file_id from file_link l where l.store_id = ${inStore} and l.${kind}_id = ${id}`,
    )
    return `f.id in (${links.join(' union all ')})`
  },
}

const linked: Filter = {
  condition: (wanted: boolean) => `f.owner_kinds ${wanted ? '<>' : '='} '{}'`,
}

export const fileList: List = {
  key: 'files',
  kind: 'file',
  table: 'file',
  alias: 'f',
  tallies: { days: [BY_CREATION, BY_UPDATE] },
  filters: {
    fileable_type: linkedToKind,
    fileable_id: linkedTo,
    mime_type: mimeType,
    linked,
    from: since('f.created_at'),
    to: until('f.created_at'),
    ...updatedFilters('f.updated_at'),
  },
  sorts: {
    created_at: { sql: 'f.created_at', type: 'timestamptz' },
    updated_at: { sql: 'f.updated_at', type: 'timestamptz' },
  },
}
