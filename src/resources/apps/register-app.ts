import { type Db, isUniqueViolation, type Tx, transact } from '../../core/storage/database.ts'
import { invalid } from '../../errors.ts'
import { newClientId, newSecret } from '../auth/secrets.ts'
import type { Egress } from '../webhooks/egress.ts'
import { jsonAt } from './fetch-document.ts'
import { readIcon } from './icon.ts'
import { checkManifest, IMITATES, type Manifest, nameKey } from './manifest.ts'

/** Where a manifest comes from: an address, which is read again later, or its content. */
export type ManifestSource = { url: string } | { content: unknown }

export type Listing = 'listed' | 'unlisted'

const imitates = () => invalid({ name: [IMITATES] })

/** Compares with all names, because apps without a manifest have no stored key. */
export const refuseImitation = async (db: Db, name: string, self?: string) => {
  const rows = await db.selectFrom('app').select(['id', 'name']).execute()
  const key = nameKey(name)
  if (rows.some((app) => app.id !== self && nameKey(app.name) === key)) throw imitates()
}

/** Two apps that are registered at the same time. */
export const refuseTakenName = (error: unknown): never => {
  throw isUniqueViolation(error, 'app_manifest_name_key_key') ? imitates() : error
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
  await refuseImitation(db, manifest.name)
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
