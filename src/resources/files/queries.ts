import { sql } from 'kysely'
import { createExistenceCheck, lockRow } from '../../core/reading/single-row.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { FileRole, OwnerKind } from './rules.ts'

export const fileExists = createExistenceCheck('file')

/**
 * Whether the store has the resource. Locks it until the transaction ends, for the link to be added. A product shows its
 * links and those of its variants, so it is locked like for any other change.
 */
export const lockOwner = async (db: Tx, store: StoreId, kind: OwnerKind, id: string) => {
  const { rows } = await sql`
    select 1 from ${sql.table(kind)} where store_id = ${store} and id = ${id} for key share`.execute(db)
  if (kind === 'product' || kind === 'variant')
    await sql`update product set updated_at = statement_timestamp() where store_id = ${store} and id = coalesce(
      (select v.product_id from variant v where v.store_id = ${store} and v.id = ${id}), ${id})`.execute(db)
  return rows.length > 0
}

export interface ServedFile {
  store_id: StoreId
  sha256: string
  name: string
  size: number
  mime_type: string
  thumbnail: boolean
  created_at: Date
  is_public: boolean
}

/** What is needed to serve a file. The store comes from the URL here, not from a token. */
export const findServedFile = async (db: Db, store: string, id: string): Promise<ServedFile | undefined> => {
  const { rows } = await sql<ServedFile>`
    select f.store_id, encode(f.sha256, 'hex') as sha256, f.name, f.size, f.mime_type, f.thumbnail, f.created_at, f.is_public
    from file f where f.store_id = ${store} and f.id = ${id}`.execute(db)
  return rows[0]
}

/** Sets `updated_at` only if the text changes. The row is locked first: a text that waits to be committed counts. */
export const updateAlt = async (db: Tx, store: StoreId, id: string, alt: string) => {
  await lockRow(db, 'file', store, id)
  await sql`update file set alt = ${alt}, updated_at = statement_timestamp()
    where store_id = ${store} and id = ${id} and alt <> ${alt}`.execute(db)
}

/** Deletes the rows and their links, and leaves claims on the contents, which are released after the commit. */
export const deleteFiles = async (db: Tx, store: StoreId, ids: string[]): Promise<string[]> => {
  if (ids.length === 0) return []
  const gone = await db
    .deleteFrom('file')
    .where('store_id', '=', store)
    .where('id', 'in', ids)
    .returning('sha256')
    .execute()
  if (gone.length === 0) return []
  const claims = await db
    .insertInto('blob_claim')
    .values(gone.map(({ sha256 }) => ({ store_id: store, sha256 })))
    .returning('id')
    .execute()
  return claims.map(({ id }) => id)
}

/** Those of them that exist. Until the transaction ends, nothing can be linked to them. */
export const lockFiles = async (db: Tx, store: StoreId, ids: string[]) => {
  const { rows } = await sql<{ id: string }>`
    select id from file where store_id = ${store} and id = any(${ids}::uuid[]) order by id for update`.execute(db)
  return rows.map(({ id }) => id)
}

export const detachFile = async (db: Tx, store: StoreId, file: string, kind: OwnerKind, owner: string) => {
  const { rows } = await sql`
    delete from file_link where store_id = ${store} and file_id = ${file} and ${sql.ref(`${kind}_id`)} = ${owner}
    returning id`.execute(db)
  return rows.length > 0
}

interface FileLinkRow {
  fileable_type: OwnerKind | 'policy' | 'store'
  fileable_id: string
  role: FileRole | 'logo' | 'in_text'
  title: string
  product_id: string | null
}

/**
 * The resources that use each of these files, with their display names: the first `limit` of each. The store itself uses its
 * logo; texts have addresses of files.
 */
export const listLinks = async (db: Db, store: StoreId, files: string[], limit: number) => {
  const { rows } = await sql<FileLinkRow & { file: string }>`
    select f.id as file, u.fileable_type, u.fileable_id, u.role, u.title, u.product_id
    from unnest(${files}::uuid[]) with ordinality f(id, place)
    cross join lateral (
      select * from (
        (select 0 as kind, '' as key, 'store' as fileable_type, s.id as fileable_id, 'logo' as role, s.name as title,
          null::uuid as product_id
        from store s where s.id = ${store} and s.logo_id = f.id)
        union all
        (select 1, l.id::text, case when l.product_id is not null then 'product' when l.variant_id is not null then 'variant'
            when l.landing_page_id is not null then 'landing_page' else 'review' end,
          coalesce(l.product_id, l.variant_id, l.landing_page_id, l.review_id),
          l.role, coalesce(g.title, p.title, ''), p.id
        from file_link l
        left join variant v on v.store_id = ${store} and v.id = l.variant_id
        left join landing_page g on g.store_id = ${store} and g.id = l.landing_page_id
        left join review r on r.store_id = ${store} and r.id = l.review_id
        left join product p on p.store_id = ${store}
          and p.id = coalesce(l.product_id, v.product_id, g.product_id, r.product_id)
        where l.store_id = ${store} and l.file_id = f.id
        order by l.id limit ${limit})
        union all
        (select 2, t.fileable_type || t.fileable_id, t.fileable_type, t.fileable_id, 'in_text', t.title, t.product_id from (
          select 'product' as fileable_type, p.id as fileable_id, p.title, p.id as product_id
          from product p where p.store_id = ${store} and p.file_ids @> array[f.id::text]
          union all
          select 'landing_page', g.id, g.title, g.product_id
          from landing_page g where g.store_id = ${store} and g.file_ids @> array[f.id::text]
          union all
          select 'policy', y.id, y.title, null
          from policy y where y.store_id = ${store} and y.file_ids @> array[f.id::text]
        ) t order by t.fileable_type, t.fileable_id limit ${limit})
      ) a order by a.kind, a.key limit ${limit}
    ) u
    order by f.place, u.kind, u.key`.execute(db)
  const links = new Map<string, FileLinkRow[]>()
  for (const { file, ...link } of rows) links.set(file, [...(links.get(file) ?? []), link])
  return links
}
