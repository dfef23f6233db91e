import { sql } from 'kysely'
import { ADVISORY_LOCKS } from '../../core/storage/advisory-locks.ts'
import { type Db, isUniqueViolation, type Tx, transact } from '../../core/storage/database.ts'
import { invalid } from '../../errors.ts'
import { newClientId, newSecret } from '../auth/secrets.ts'
import type { Egress } from '../webhooks/egress.ts'
import { jsonAt } from './fetch-document.ts'
import { readIcon } from './icon.ts'
import { checkManifest, IMITATES, type Manifest, nameKey, namesOf } from './manifest.ts'

/** Where a manifest comes from: an address, which is read again later, or its content. */
export type ManifestSource = { url: string } | { content: unknown }

export type Listing = 'listed' | 'unlisted'

/**
 * In any language: stores see the names in theirs. Apps without a manifest have one name. `self` is the id or the client id of
 * the app that may have the name.
 */
export const refuseImitation = async (db: Db, manifest: Pick<Manifest, 'name' | 'languages'>, self?: string) => {
  const others = await db
    .selectFrom('app as a')
    .leftJoin('app_manifest as m', 'm.app_id', 'a.id')
    .select(['a.id', 'a.client_id', 'a.name'])
    .select(sql<Manifest['languages'] | null>`m.manifest->'languages'`.as('languages'))
    .execute()
  const taken = new Set(
    others
      .filter(({ id, client_id }) => id !== self && client_id !== self)
      .flatMap(({ name, languages }) => namesOf({ name, languages: languages ?? {} }))
      .map(([, name]) => nameKey(name)),
  )
  const field = namesOf(manifest).find(([, name]) => taken.has(nameKey(name)))?.[0]
  if (field) throw invalid({ [field]: [IMITATES] })
}

/** Of apps that are named at the same time, the second one sees the names of the first. */
export const lockNames = (db: Tx) => sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCKS.appNames)})`.execute(db)

/** Two apps that are registered at the same time. */
export const refuseTakenName = (error: unknown): never => {
  throw isUniqueViolation(error, 'app_manifest_name_key_key') ? invalid({ name: [IMITATES] }) : error
}

interface NewApp {
  manifest: Manifest
  icon: Buffer | null
  sourceUrl: string | null
  listing: Listing
  /** Of a client that is known by the address of its document, and has no secret. */
  publicId?: string
}

export const insertApp = async (db: Tx, { manifest, icon, sourceUrl, listing, publicId }: NewApp) => {
  await lockNames(db)
  await refuseImitation(db, manifest)
  const { secret, hash } = newSecret()
  const app = await db
    .insertInto('app')
    .values({
      name: manifest.name,
      client_id: publicId ?? newClientId(),
      // Nobody knows the secret of a public client.
      secret_hash: hash,
      is_public: publicId !== undefined,
    })
    .returning(['id', 'name', 'client_id'])
    .executeTakeFirstOrThrow()
  await db
    .insertInto('app_manifest')
    .values({
      app_id: app.id,
      source_url: sourceUrl,
      manifest: JSON.stringify(manifest),
      name_key: nameKey(manifest.name),
      icon,
      listing,
    })
    .execute()
  return { ...app, client_secret: secret }
}

export const readManifest = async (egress: Egress, source: ManifestSource): Promise<Manifest> =>
  checkManifest('url' in source ? await jsonAt(egress, source.url) : source.content)

/** In the transaction of the change. */
export type RecordChange = (db: Tx, app: { id: string; name: string }) => Promise<unknown>

/** Registers an app by its manifest. The secret is shown once. */
export const registerApp = async (
  db: Db,
  egress: Egress,
  source: ManifestSource,
  listing: Listing,
  record?: RecordChange,
) => {
  const manifest = await readManifest(egress, source)
  const icon = await readIcon(egress, manifest.icon as string)
  const sourceUrl = 'url' in source ? source.url : null
  return transact(db, async (db) => {
    const app = await insertApp(db, { manifest, icon, sourceUrl, listing })
    await record?.(db, app)
    return app
  }).catch(refuseTakenName)
}
