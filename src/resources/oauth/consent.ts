import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ApiError, invalid, notFound } from '../../errors.ts'
import { recordAct } from '../accounts/audit.ts'
import { heldIn, requireInstaller } from '../accounts/installers.ts'
import { listStores } from '../accounts/queries.ts'
import { holdSession, type Session, type SessionAccount } from '../accounts/sessions.ts'
import { applyConsent, connectAssistant, lockInstallableApp, requireAllPermissions } from '../apps/install-app.ts'
import { findRegisteredApp, type RegisteredApp } from '../apps/queries.ts'
import { replaceManifest } from '../apps/refresh-app.ts'
import { insertApp, lockNames, refuseTakenName } from '../apps/register-app.ts'
import { iconAddress } from '../apps/shown-app.ts'
import { hashSecret } from '../auth/secrets.ts'
import type { Egress } from '../webhooks/egress.ts'
import { answerAt, type CheckedRequest, checkAuthorizationRequest, storeOf } from './authorization-request.ts'
import { type Client, findClient, revisionOf } from './clients.ts'
import type { Parameters } from './consent-schema.ts'

export interface ConsentServices {
  db: Db
  egress: Egress
}

const CODE_SECONDS = 60

/** What the client may do in each store already; one that acts for a person, what this person has ticked for it. */
const installationsOf = async (db: Db, { id, is_public }: Client, account: string, stores: readonly StoreId[]) => {
  if (!id || stores.length === 0) return new Map<string, string[]>()
  const installed = db.selectFrom('installation as i').where('i.app_id', '=', id).where('i.store_id', 'in', stores)
  const rows = is_public
    ? await installed
        .innerJoin('connected_assistant as c', 'c.installation_id', 'i.id')
        .where('c.account_id', '=', account)
        .select(['i.store_id', 'c.permissions'])
        .execute()
    : await installed.select(['i.store_id', 'i.permissions']).execute()
  return new Map(rows.map(({ store_id, permissions }) => [store_id, permissions]))
}

const isRefusal = (checked: CheckedRequest): checked is { refusal: string } => 'refusal' in checked

/** What keeps a person from deciding: what they cannot grant, and, for a code, what it would open to them. */
const missingOf = (
  required: readonly string[],
  granted: readonly string[],
  held: ReadonlySet<string>,
  isForCode: boolean,
) => {
  const concerned = isForCode ? [...new Set([...required, ...granted])] : required
  return concerned.filter((name) => !held.has(name) && (isForCode || !granted.includes(name)))
}

/** What the page shows to a person before they decide, or where the browser goes because the request is wrong. */
export const describeConsent = async (
  { db, egress }: ConsentServices,
  account: SessionAccount,
  given: Parameters,
  issuer: string,
) => {
  const client = await findClient(db, egress, given.client_id)
  const checked = checkAuthorizationRequest(client, given, issuer)
  if (isRefusal(checked)) return { redirect: checked.refusal }
  const { asked, redirect } = checked
  const stores = await listStores(db, account)
  const installed = await installationsOf(
    db,
    client,
    account.id,
    stores.map(({ id }) => id),
  )
  const { manifest } = client
  const denied = { error: 'access_denied', state: given.state, iss: issuer }
  return {
    consent: {
      app: {
        client_id: client.client_id,
        name: manifest.name,
        description: manifest.description,
        developer: manifest.developer,
        url: manifest.url,
        languages: manifest.languages ?? {},
        privacy_url: manifest.privacy_url ?? null,
        icon: client.id ? iconAddress(issuer, { id: client.id, icon_hash: client.icon_hash }) : null,
        is_registered: !client.is_public,
      },
      ...asked,
      revision: revisionOf(manifest, asked),
      store: storeOf(given, issuer) ?? null,
      stores: stores.map((store) => {
        const held = heldIn(store)
        const has = installed.get(store.id)
        return {
          id: store.id,
          name: store.name,
          may_install: held.has('app:install'),
          missing: missingOf(asked.required, has ?? [], held, redirect !== undefined && !client.is_public),
          grantable: asked.optional.filter((name) => held.has(name) || (!client.is_public && has?.includes(name))),
          granted: has ?? null,
        }
      }),
      returns_to: redirect ? new URL(redirect.uri).host : null,
      denied: redirect ? answerAt(redirect.uri, denied) : null,
    },
  }
}

/** Locks the app with what it asks for now. A client that nobody registered becomes an app here. */
const lockClient = async (db: Tx, client: Client): Promise<RegisteredApp> => {
  if (!client.is_public) return lockInstallableApp(db, client.client_id)
  const find = () => findRegisteredApp(db, client.client_id)
  // Somebody else may be the first to let it in at this moment.
  const known = (await find()) ?? (await lockNames(db).then(find))
  if (known?.disabled) throw notFound('app')
  if (known) await replaceManifest(db, known.id, client.manifest, undefined)
  else
    await insertApp(db, {
      manifest: client.manifest,
      icon: null,
      sourceUrl: client.client_id,
      listing: 'unlisted',
      publicId: client.client_id,
    })
  return lockInstallableApp(db, client.client_id)
}

interface NewCode {
  installation_id: string
  account_id: string | null
  redirect_uri: string
  challenge: string
}

const issueCode = async (db: Tx, app: RegisteredApp, asked: NewCode) => {
  const code = randomBytes(32).toString('base64url')
  await db
    .insertInto('oauth_code')
    .values({
      code_hash: hashSecret(code),
      app_id: app.id,
      ...asked,
      expires_at: sql`now() + ${CODE_SECONDS} * interval '1 second'`,
    })
    .execute()
  return code
}

export interface Decision {
  store: string
  /** Optional permissions that the person has switched on. */
  permissions: readonly string[]
  /** Of what the person has seen. */
  revision: string
}

/** Installs the app as the person has decided, in one transaction with the code that the app gets. */
export const applyDecision = async (
  { db, egress }: ConsentServices,
  session: Session,
  given: Parameters,
  { store, permissions, revision }: Decision,
  issuer: string,
) => {
  const client = await findClient(db, egress, given.client_id)
  const work = async (db: Tx) => {
    // The client's document may have taken seconds.
    const account = await holdSession(db, session)
    const app = await lockClient(db, client)
    const checked = checkAuthorizationRequest({ ...client, manifest: app.manifest }, given, issuer)
    if (isRefusal(checked)) return { redirect: checked.refusal }
    const { asked, redirect } = checked
    if (revisionOf(app.manifest, asked) !== revision)
      throw new ApiError('version_mismatch', 'The app has changed what it asks for: look at it again.')
    const offered: readonly string[] = asked.optional
    if (permissions.some((name) => !offered.includes(name)))
      throw invalid({ permissions: ['must be permissions that the app offers as optional'] })
    const meant = storeOf(given, issuer)
    if (meant !== undefined && meant !== store) throw invalid({ store: ['must be the store of the address'] })
    const { id: store_id, held } = await requireInstaller(db, account, store)
    // A client without a secret acts for this person. Any other does what it may, whoever has sent it the code.
    if (redirect && !client.is_public) await requireAllPermissions(db, app.id, store_id, held)
    const granted = [...asked.required, ...permissions]
    if (client.is_public && granted.length === 0) throw invalid({ permissions: ['must be at least one'] })
    const consent = { app, store: store_id, permissions: granted, held }
    const install_id = client.is_public
      ? await connectAssistant(db, consent, account.id)
      : await applyConsent(db, consent)
    await recordAct(db, account, {
      act: 'install_app',
      subject: app.manifest.name,
      store_id,
      app_id: app.id,
      after: { permissions: granted },
    })
    if (!redirect) return { store_id, install_id }
    const code = await issueCode(db, app, {
      installation_id: install_id,
      account_id: client.is_public ? account.id : null,
      redirect_uri: redirect.uri,
      challenge: redirect.challenge,
    })
    return { store_id, install_id, redirect: answerAt(redirect.uri, { code, state: given.state, iss: issuer }) }
  }
  return transact(db, work).catch(refuseTakenName)
}
