import { sql } from 'kysely'
import type { Static } from 'typebox'
import { earliest, latest } from '../input/date-bounds.ts'
import type { Listing } from '../reading/list-page.ts'
import { BY_CREATION } from '../reading/row-counts.ts'
import type { Db, Tx } from '../storage/database.ts'
import type { Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { bindFileUrls, type FileUrls, fileJson } from './file-urls.ts'
import { OWNER_KINDS, type OwnerKind } from './rules.ts'
import type { FileQuery } from './schema.ts'

type Query = Static<typeof FileQuery>

export const fileListing = (fileUrls: FileUrls): Listing<Query['order_by']> => ({
  key: 'files',
  table: 'file',
  alias: 'f',
  bind: (statement) => bindFileUrls(statement, fileUrls),
  counts: { kind: 'file', days: [BY_CREATION], facets: ['fileable_type', 'mime_type'] },
  json: (statement) => fileJson(statement, fileUrls, 'f'),
  sorts: { created_at: { sql: 'f.created_at', type: 'timestamptz' } },
})

/** `image/png` and `image/*` each have an index in the sequence of the list. */
const typeFilter = ({ bind }: Statement, type: string) => {
  const [kind, detail] = type.split('/')
  return detail === '*' ? `split_part(f.mime_type, '/', 1) = ${bind(kind)}` : `f.mime_type = ${bind(type)}`
}

/** As the list looks for them: in small letters, each once; any type (two stars) is no filter at all. */
export const requestedTypes = (types: string[] | undefined): string[] | undefined => {
  const asked = types?.map((type) => type.toLowerCase())
  return asked?.includes('*/*') ? undefined : asked && [...new Set(asked)]
}

const linkFilter = ({ bind }: Statement, store: StoreId, kind: OwnerKind | undefined, id: string | undefined) => {
  // A constant of the schema in the text: each kind has an index of its own.
  if (!id) return kind && `'${kind}' = any(f.owner_kinds)`
  const [inStore, owner] = [bind(store), bind(id)]
  const links = (kind ? [kind] : OWNER_KINDS).map(
    (kind) => `select l.file_id from file_link l where l.store_id = ${inStore} and l.${kind}_id = ${owner}`,
  )
  return `f.id in (${links.join(' union all ')})`
}

export const fileFilters =
  ({ fileable_type, fileable_id, mime_type, from, to }: Query, store: StoreId) =>
  (statement: Statement) => [
    linkFilter(statement, store, fileable_type, fileable_id),
    mime_type && `(${mime_type.map((type) => typeFilter(statement, type)).join(' or ')})`,
    from !== undefined && `f.created_at >= ${statement.bind(earliest(from))}`,
    to !== undefined && `f.created_at <= ${statement.bind(latest(to))}`,
  ]

/**
 * Whether the store has the resource, which then stays until the transaction ends, for the link that is to follow. A
 * product shows its links and those of its variants: it is locked as for any other change, so that its text follows.
 */
export const lockOwner = async (db: Tx, store: StoreId, kind: OwnerKind, id: string) => {
  const { rows } = await sql`
    select from ${sql.table(kind)} where store_id = ${store} and id = ${id} for key share`.execute(db)
  if (kind === 'product' || kind === 'variant')
    await sql`select from product where store_id = ${store} and id = coalesce(
      (select v.product_id from variant v where v.store_id = ${store} and v.id = ${id}), ${id}) for no key update`.execute(
      db,
    )
  return rows.length > 0
}

export interface ServedFile {
  sha256: string
  name: string
  size: number
  mime_type: string
  thumbnail: boolean
  created_at: Date
  is_public: boolean
}

/** What serving needs to know. The store comes from the address here, not from a token: nothing of it is listed. */
export const findServedFile = async (db: Db, store: string, id: string): Promise<ServedFile | undefined> => {
  const { rows } = await sql<ServedFile>`
    select encode(f.sha256, 'hex') as sha256, f.name, f.size, f.mime_type, f.thumbnail, f.created_at, f.is_public
    from file f where f.store_id = ${store} and f.id = ${id}`.execute(db)
  return rows[0]
}

/** Deletes the row, and with it every link; the claim left in its place is settled once that has been committed. */
export const deleteFile = async (db: Tx, store: StoreId, id: string): Promise<string | undefined> => {
  const { rows } = await sql<{ claim: string }>`
    with gone as (delete from file where store_id = ${store} and id = ${id} returning store_id, sha256)
    insert into blob_claim (store_id, sha256) select store_id, sha256 from gone returning id as claim`.execute(db)
  return rows[0]?.claim
}

export const detachFile = async (db: Tx, store: StoreId, file: string, kind: OwnerKind, owner: string) => {
  const { rows } = await sql`
    delete from file_link where store_id = ${store} and file_id = ${file} and ${sql.ref(`${kind}_id`)} = ${owner}
    returning id`.execute(db)
  return rows.length > 0
}
