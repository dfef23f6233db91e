import { sql } from 'kysely'
import type { ValidationErrors } from '../errors.ts'
import { MAX_INTEGER } from '../input/schemas.ts'
import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'
import { type FileRole, type OwnerKind, roleFault } from './rules.ts'

/** An id of a file as a request gives it, with the field it stands in (`images.2`, `variants.0.image`). */
export interface FileReference {
  field: string
  id: string
  role: FileRole
}

/**
 * Adds a fault for each id that is no file of the store, or one of a type that its role does not take. The files found are kept from being deleted until the
 * transaction ends, so that linking them afterwards cannot fail.
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

export interface Attachment {
  owner: string
  file: string
  /** Sort order among the owner's files of that role. */
  position: number
}

const column = (kind: OwnerKind) => sql.ref(`${kind}_id`)

/** Links files, each to its owner. A file linked already moves to its new place; a variant's only one is replaced. */
export const attachFiles = async (db: Tx, store: StoreId, kind: OwnerKind, role: FileRole, files: Attachment[]) => {
  if (files.length === 0) return
  const owner = column(kind)
  // A variant has one file of a role, so that the newest takes the place of the one before.
  const one = kind === 'variant'
  const key = one ? sql`l.owner` : sql`l.owner, l.file`
  await sql`
    insert into file_link (store_id, file_id, role, position, ${owner})
    select distinct on (${key}) ${store}::uuid, l.file, ${role}, l.position, l.owner
    from json_to_recordset(${JSON.stringify(files)}::json) l (owner uuid, file uuid, position integer)
    order by ${key}, l.position
    on conflict (store_id, ${owner}, role${one ? sql`` : sql`, file_id`}) where ${owner} is not null
    do update set file_id = excluded.file_id, position = excluded.position`.execute(db)
}

/** Takes away the links of these owners in a role, but for the files to keep. */
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

/** Gives an owner exactly these files in a role, in this sequence. */
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

/** Puts files behind those that an owner has in a role; where no order is higher, they share it and stand behind by id. */
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
