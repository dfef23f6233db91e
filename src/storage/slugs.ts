import { sql } from 'kysely'
import { type Db, isUniqueViolation } from './database.ts'
import type { StoreId } from './store-id.ts'

type Table = 'product' | 'landing_page'

/** Which of these slugs belong to another row of the store, without regard to case: see migration 0017. */
export const takenSlugs = async (
  db: Db,
  table: Table,
  store: StoreId,
  slugs: string[],
  self: string | null = null,
): Promise<Set<string>> => {
  const another = (condition: ReturnType<typeof sql>) => sql`exists (
    select 1 from ${sql.table(table)} t where t.store_id = ${store} and ${condition} and t.id is distinct from ${self}::uuid)`
  const { rows } = await sql<{ slug: string }>`
    select c.slug from unnest(${slugs}::text[]) c (slug)
    where ${another(sql`slug_key(t.slug) = slug_key(c.slug) and not t.slug_is_twin`)} or ${another(sql`t.slug = c.slug`)}
  `.execute(db)
  return new Set(rows.map(({ slug }) => slug))
}

/** For an update: a twin from before slugs were compared without regard to case stays one until its slug changes. */
export const slugColumns = (slug: string) => ({ slug, slug_is_twin: sql<boolean>`slug_is_twin and slug = ${slug}` })

/** Undefined when the row has that slug already, from before text was composed or since. */
export const newSlug = (given: string | undefined, before: string) =>
  given === before.normalize('NFC') ? undefined : given

/** Somebody else took it since it was looked for. */
export const isSlugTaken = (error: unknown, table: Table) =>
  isUniqueViolation(error, `${table}_slug_folded`) || isUniqueViolation(error, `${table}_store_id_slug_key`)
