import { sql } from 'kysely'
import { normalizeText } from '../input/normalize-text.ts'
import { type Db, isUniqueViolation } from './database.ts'
import type { StoreId } from './store-id.ts'
import type { Tables } from './tables.ts'

/** Tables with slugs that are unique in a store. */
type Table = {
  [Name in keyof Tables]: Tables[Name] extends { slug: unknown; slug_is_twin: unknown } ? Name : never
}[keyof Tables]

/** Returns which of these slugs another row of the store has, ignoring case: see slug_key() in schema/basics.sql. */
export const takenSlugs = async (
  db: Db,
  table: Table,
  store: StoreId,
  slugs: string[],
  self: string | null = null,
): Promise<Set<string>> => {
  const another = (condition: ReturnType<typeof sql>) => sql`
    select 1 from ${sql.table(table)} t where t.store_id = ${store} and ${condition} and t.id is distinct from ${self}::uuid`
  // Lateral, so that each slug is looked up in the indexes. PostgreSQL may answer an `exists` by reading all products.
  const { rows } = await sql<{ slug: string }>`
    select c.slug from unnest(${slugs}::text[]) c (slug), lateral (
      ${another(sql`slug_key(t.slug) = slug_key(c.slug) and not t.slug_is_twin`)}
      union all ${another(sql`t.slug = c.slug`)}
      limit 1) taken
  `.execute(db)
  return new Set(rows.map(({ slug }) => slug))
}

/** For an update: slugs that differ only in case, from before case was ignored, remain until they are changed. */
export const slugColumns = (slug: string) => ({ slug, slug_is_twin: sql<boolean>`slug_is_twin and slug = ${slug}` })

/** Undefined if the slug does not change. Old rows may not be in NFC. */
export const newSlug = (slug: string | undefined, before: string) => (slug === normalizeText(before) ? undefined : slug)

/** A concurrent write took the slug. */
export const isSlugTaken = (error: unknown, table: Table) =>
  isUniqueViolation(error, `${table}_slug_folded`) || isUniqueViolation(error, `${table}_store_id_slug_key`)
