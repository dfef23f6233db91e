import { createHash } from 'node:crypto'
import type { Db } from '../../core/storage/database.ts'
import { notFound } from '../../errors.ts'
import { isClientAddress, manifestOfClient, requireClientAddress } from '../apps/client-document.ts'
import { jsonAt } from '../apps/fetch-document.ts'
import type { Manifest } from '../apps/manifest.ts'
import { findRegisteredApp } from '../apps/queries.ts'
import { refuseImitation } from '../apps/register-app.ts'
import type { Egress } from '../webhooks/egress.ts'

/** A client that asks for access. One without a registration has no row until somebody installs it. */
export interface Client {
  client_id: string
  is_public: boolean
  id: string | undefined
  icon_hash: string | null
  manifest: Manifest
}

const readClientDocument = async (db: Db, egress: Egress, clientId: string): Promise<Client> => {
  requireClientAddress(clientId)
  const known = await findRegisteredApp(db, clientId)
  if (known?.disabled) throw notFound('app')
  const manifest = manifestOfClient(clientId, await jsonAt(egress, clientId, 'client_id'))
  await refuseImitation(db, manifest, clientId)
  return { client_id: clientId, is_public: true, id: known?.id, icon_hash: null, manifest }
}

/** Reads the document of a client that is known by its address every time, so that what is shown is what it says now. */
export const findClient = async (db: Db, egress: Egress, clientId: string): Promise<Client> => {
  if (isClientAddress(clientId)) return readClientDocument(db, egress, clientId)
  const app = await findRegisteredApp(db, clientId)
  if (!app || app.disabled) throw notFound('app')
  return app
}

/** Differs if anything has changed that a person sees or grants. */
export const revisionOf = (manifest: Manifest, asked: { required: readonly string[]; optional: readonly string[] }) =>
  createHash('sha256')
    .update(
      JSON.stringify([
        manifest.name,
        manifest.languages,
        manifest.description,
        manifest.developer,
        manifest.url,
        manifest.privacy_url,
        manifest.icon,
        manifest.redirect_uris,
        [...asked.required].sort(),
        [...asked.optional].sort(),
      ]),
    )
    .digest('base64url')
