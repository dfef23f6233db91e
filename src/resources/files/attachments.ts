import { sql } from 'kysely'
import { MAX_INTEGER } from '../../core/input/schemas.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { ValidationErrors } from '../../errors.ts'
import { type FileRole, type OwnerKind, roleFault } from './rules.ts'

/** A file id in a request, with the path of its field (`images.2`, `variants.0.image`). */
export interface FileReference {
  field: string
  id: string
  role: FileRole
}

/**
 * Adds an error for each id that is not a file of the store, or whose type does not fit its role. Locks the files
 * against deletion until the transaction ends.
 */
export const requireFiles = async (db: Tx, store: StoreId, references: FileReference[], errors: ValidationErrors) => {
  if (references.length === 0) return
  const ids = [...new Set(references.map(({ id }) => id))]
  const { rows } = await sql<{ id: string; mime_type: string }>`
    select id, mime_type from file where store_id = ${store} and id = any(${ids}::uuid[]) order by id for key share`.execute(
    db,
  )
  const types = new Map(rows.map(({ id, mime_type }) => [id, mime_type]))
  for (const { field, id, role } of references) {
    const type = types.get(id)
    const fault = type === undefined ? 'must be the id of a file of this store' : roleFault(role, type)
    if (fault) errors.add(field, fault)
  }
}

interface Attachment {
  owner: string
  file: string
  /** Sort order among the owner's files in that role. */
  position: number
}

const column = (kind: OwnerKind) => sql.ref(`${kind}_id`)

/** Links files to their owners. A file that is already linked gets its new position; one that keeps it is not written. */
export const attachFiles = async (db: Tx, store: StoreId, kind: OwnerKind, role: FileRole, files: Attachment[]) => {
  if (files.length === 0) return
  const owner = column(kind)
  // A variant has one file per role: the new file replaces the old one.
  const one = kind === 'variant'
  const key = one ? sql`l.owner` : sql`l.owner, l.file`
  await sql`
    insert into file_link as known (store_id, file_id, role, position, ${owner})
    select distinct on (${key}) ${store}::uuid, l.file, ${role}, l.position, l.owner
    from json_to_recordset(${JSON.stringify(files)}::json) l (owner uuid, file uuid, position integer)
    order by ${key}, l.position
    on conflict (store_id, ${owner}, role${one ? sql`` : sql`, file_id`}) where ${owner} is not null
    do update set file_id = excluded.file_id, position = excluded.position
      where (known.file_id, known.position) is distinct from (excluded.file_id, excluded.position)`.execute(db)
}

/** Unlinks all files of these owners in a role, except those to keep. */
export const detachFiles = async (
  db: Tx,
  store: StoreId,
  kind: OwnerKind,
  role: FileRole,
  owners: string[],
  keep: string[] = [],
) => {
  await sql`
    delete from file_link where store_id = ${store} and ${column(kind)} = any(${owners}::uuid[]) and role = ${role}
      and file_id <> all(${keep}::uuid[])`.execute(db)
}

/** Links exactly these files to an owner in a role, in this order. */
export const replaceAttachments = async (
  db: Tx,
  store: StoreId,
  kind: OwnerKind,
  role: FileRole,
  owner: string,
  files: string[],
) => {
  await detachFiles(db, store, kind, role, [owner], files)
  await attachFiles(
    db,
    store,
    kind,
    role,
    files.map((file, position) => ({ owner, file, position })),
  )
}

/**
 * Adds files after those that an owner has in a role. At the highest possible position, files share it and are sorted
 * by id.
 */
export const appendAttachments = async (
  db: Tx,
  store: StoreId,
  kind: OwnerKind,
  role: FileRole,
  owner: string,
  files: string[],
) => {
  if (files.length === 0) return
  const { rows } = await sql<{ last: number | null }>`
    select max(position) as last from file_link
    where store_id = ${store} and ${column(kind)} = ${owner} and role = ${role}`.execute(db)
  const next = (rows[0]?.last ?? -1) + 1
  await attachFiles(
    db,
    store,
    kind,
    role,
    files.map((file, n) => ({ owner, file, position: Math.min(next + n, MAX_INTEGER) })),
  )
}

export const countLinks = async (db: Tx, store: StoreId, kind: OwnerKind, role: FileRole, owner: string) => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from file_link
    where store_id = ${store} and ${column(kind)} = ${owner} and role = ${role}`.execute(db)
  return rows[0]?.count ?? 0
}
