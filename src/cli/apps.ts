import { readFile } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import type { Db, Tx } from '../core/storage/database.ts'
import { OperatorError } from '../errors.ts'
import { COMMAND_LINE, recordAct } from '../resources/accounts/audit.ts'
import { explainInvalid, parseManifest } from '../resources/apps/manifest.ts'
import {
  describeRegistered,
  findLifecycleGeneration,
  findRegisteredApp,
  LISTINGS,
  rotateLifecycleSecret,
  setListing,
} from '../resources/apps/queries.ts'
import { refreshApp } from '../resources/apps/refresh-app.ts'
import { type ManifestSource, type RecordChange, registerApp } from '../resources/apps/register-app.ts'
import { createApp } from '../resources/auth/create-app.ts'
import { disableApp, removeApp } from '../resources/auth/disable-app.ts'
import { describeApp, enableApp, listApps, requireNamedApp } from '../resources/auth/queries.ts'
import { endOldSecret, rotateSecret } from '../resources/auth/rotate-secret.ts'
import { deriveKey, masterSecret } from '../resources/auth/secrets.ts'
import { createEgress, type Egress } from '../resources/webhooks/egress.ts'
import { createWebhookSecrets } from '../resources/webhooks/signing.ts'
import { writeEnvFile } from './app-env-file.ts'
import { scaffoldCommand } from './app-scaffold.ts'
import { type Command, type Input, UsageError } from './arguments.ts'
import { confirm, withDatabase, YES } from './command-context.ts'
import { readDuration } from './duration.ts'
import { recorded } from './recorded.ts'

const CLIENT_ID = { name: 'CLIENT_ID', about: 'Client id of the app, from app list.' }
const REVOKE = { about: 'Also revoke every token issued so far.' }
const ONCE = 'Save the client_secret now: it is not shown again.'

const readSource = async (place: string): Promise<ManifestSource> =>
  /^https?:\/\//.test(place) ? { url: place } : { content: parseManifest(await readFile(place, 'utf8')) }

/** Requests through the guard against private addresses. Shows what is wrong with a manifest, field by field. */
const withEgress = async <T>({ WEBHOOK_PRIVATE }: Config, work: (egress: Egress) => Promise<T>): Promise<T> => {
  const egress = createEgress({ opened: WEBHOOK_PRIVATE })
  try {
    return await work(egress)
  } catch (error) {
    const faults = explainInvalid(error)
    throw faults ? new OperatorError(`The manifest is not accepted:\n${faults}`) : error
  } finally {
    egress.close()
  }
}

const lifecycleSecret = async (db: Db, config: Config, clientId: string) => {
  const { id, generation } = await findLifecycleGeneration(db, clientId)
  const secrets = createWebhookSecrets(deriveKey(await masterSecret(db, config), 'webhook secrets'))
  return secrets.show({ id, generation })
}

/** A registered app as a person reads it. */
const registeredResult = async (db: Db, clientId: string) => {
  const value = await describeRegistered(db, clientId)
  const { permissions, ...app } = value
  return { value, shown: { ...app, required: permissions.required, optional: permissions.optional } }
}

const recordedAs =
  (act: 'register_app' | 'refresh_app', after?: object): RecordChange =>
  (db, { id, name }) =>
    recordAct(db, COMMAND_LINE, { act, subject: name, app_id: id, after })

/** A change of the app that is named first, with its entry in the audit log. */
const ofApp = async <T>(
  db: Db,
  input: Input,
  act: 'update_app' | 'rotate_secret' | 'remove_app',
  work: (db: Tx) => Promise<T>,
  after?: object,
) => {
  const { id: app_id, name: subject } = await requireNamedApp(db, input.text('CLIENT_ID'))
  return recorded(db, work, () => ({ act, subject, app_id, after }))
}

export const appCommands: readonly Command[] = [
  scaffoldCommand,
  {
    name: 'app create',
    summary: 'Creates an app and shows its secret once.',
    details:
      'An app with a manifest can be installed by merchants. One with only a name is installed with install create.\n' +
      'A manifest at an address is read again every day.',
    options: {
      name: { value: 'NAME', about: 'Name of an app without a manifest.' },
      manifest: { value: 'URL|FILE', about: 'Address or file of the manifest.' },
      env: {
        value: 'FILE',
        about: 'With --manifest: write the settings of the app, secrets included, into this new file.',
      },
      listed: { about: 'Show the app to every store, under Apps. Otherwise it is found by its link only.' },
    },
    run: async (input, io) => {
      const manifest = input.optional('manifest')
      if ((manifest === undefined) === (input.optional('name') === undefined))
        throw new UsageError('Give either --name or --manifest.')
      const env = input.optional('env')
      if (env !== undefined && manifest === undefined) throw new UsageError('--env needs --manifest.')
      return withDatabase(io, 'app create', async ({ db, config }) => {
        if (manifest === undefined) {
          const value = await recorded(
            db,
            (db) => createApp(db, input.text('name')),
            ({ id, name }) => ({ act: 'register_app', subject: name, app_id: id }),
          )
          return { value, note: ONCE }
        }
        const listing = input.has('listed') ? 'listed' : 'unlisted'
        const register = async () => {
          const app = await withEgress(config, async (egress) =>
            registerApp(db, egress, await readSource(manifest), listing, recordedAs('register_app', { listing })),
          )
          return { ...app, lifecycle_secret: await lifecycleSecret(db, config, app.client_id) }
        }
        if (env === undefined) return { value: await register(), note: ONCE }
        const { id, name, client_id } = await writeEnvFile(env, config, async () => {
          const app = await register()
          return { ...app, url: (await findRegisteredApp(db, app.client_id))?.manifest.url as string }
        })
        return { value: { id, name, client_id }, note: `Its secrets are in ${env}.` }
      })
    },
  },
  {
    name: 'app refresh',
    summary: 'Reads the manifest of an app again.',
    details:
      'Changed names, icons and addresses apply at once, and so does asking for fewer permissions. Further permissions\n' +
      'wait until somebody in each store has granted them.',
    operands: [CLIENT_ID],
    options: { manifest: { value: 'FILE', about: 'The new manifest of an app that was registered from a file.' } },
    run: (input, io) =>
      withDatabase(io, 'app refresh', async ({ db, config }) => {
        const file = input.optional('manifest')
        const clientId = input.text('CLIENT_ID')
        await withEgress(config, async (egress) =>
          refreshApp(
            db,
            egress,
            clientId,
            file && parseManifest(await readFile(file, 'utf8')),
            recordedAs('refresh_app'),
          ),
        )
        return registeredResult(db, clientId)
      }),
  },
  {
    name: 'app update',
    summary: 'Lists an app for every store, or no longer.',
    operands: [CLIENT_ID],
    options: { listing: { value: 'STATE', required: true, about: 'listed, or unlisted: found by its link only.' } },
    run: async (input, io) => {
      const listing = LISTINGS.find((name) => name === input.text('listing'))
      if (!listing) throw new UsageError(`--listing must be one of ${LISTINGS.join(', ')}.`)
      return withDatabase(io, 'app update', async ({ db }) => {
        await ofApp(db, input, 'update_app', (db) => setListing(db, input.text('CLIENT_ID'), listing), { listing })
        return registeredResult(db, input.text('CLIENT_ID'))
      })
    },
  },
  {
    name: 'app lifecycle-secret',
    summary: 'Shows the secret that signs what is posted to the lifecycle_url of an app.',
    operands: [CLIENT_ID],
    options: { rotate: { about: 'Make a new one first. The old one signs nothing from then on.' } },
    run: (input, io) =>
      withDatabase(io, 'app lifecycle-secret', async ({ db, config }) => {
        const clientId = input.text('CLIENT_ID')
        if (input.has('rotate'))
          await ofApp(db, input, 'rotate_secret', (db) => rotateLifecycleSecret(db, clientId), {
            of: 'lifecycle messages',
          })
        return { value: { client_id: clientId, lifecycle_secret: await lifecycleSecret(db, config, clientId) } }
      }),
  },
  {
    name: 'app list',
    summary: 'Lists the apps, without their secrets.',
    run: (_input, io) => withDatabase(io, 'app list', async ({ db }) => ({ value: await listApps(db) })),
  },
  {
    name: 'app disable',
    summary: 'Disables an app. Its tokens stop working at once.',
    details: 'Enabling it again does not restore its tokens; the app must request new ones.',
    operands: [CLIENT_ID],
    run: (input, io) =>
      withDatabase(io, 'app disable', async ({ db }) => ({
        value: await ofApp(db, input, 'update_app', (db) => disableApp(db, input.text('CLIENT_ID')), {
          disabled: true,
        }),
      })),
  },
  {
    name: 'app enable',
    summary: 'Enables a disabled app.',
    operands: [CLIENT_ID],
    run: (input, io) =>
      withDatabase(io, 'app enable', async ({ db }) => ({
        value: await ofApp(db, input, 'update_app', (db) => enableApp(db, input.text('CLIENT_ID')), {
          disabled: false,
        }),
      })),
  },
  {
    name: 'app remove',
    summary: 'Deletes an app and its installations. Its tokens stop working at once. Store data is kept.',
    details: 'Asks for confirmation. Use app disable for something that can be undone.',
    operands: [CLIENT_ID],
    options: YES,
    run: (input, io) =>
      withDatabase(io, 'app remove', async ({ db }) => {
        const app = await describeApp(db, input.text('CLIENT_ID'))
        const stores = app.installations === 1 ? '1 store' : `${app.installations} stores`
        await confirm(io, input, `Delete the app ${app.name}, installed on ${stores}.`)
        await ofApp(db, input, 'remove_app', (db) => removeApp(db, app.client_id))
        return { value: app }
      }),
  },
  {
    name: 'app rotate-secret',
    summary: 'Gives an app a new secret and shows it once.',
    details:
      'The old secret stops working at once, or after the time given with --keep-old. Only the last old secret is kept.\n' +
      'Tokens obtained with it stay valid until they expire, unless --revoke-tokens is given.',
    operands: [CLIENT_ID],
    options: {
      'keep-old': {
        value: 'TIME',
        about: 'How long the old secret keeps working: 30m, 24h or 7d, for example; at most 90d.',
      },
      'revoke-tokens': REVOKE,
    },
    run: async (input, io) => {
      const time = input.optional('keep-old')
      const keepOldSeconds = time === undefined ? undefined : readDuration('keep-old', time)
      const revokeTokens = input.has('revoke-tokens')
      return withDatabase(io, 'app rotate-secret', async ({ db }) => ({
        value: await ofApp(
          db,
          input,
          'rotate_secret',
          (db) => rotateSecret(db, input.text('CLIENT_ID'), { revokeTokens, keepOldSeconds }),
          { keep_old_seconds: keepOldSeconds ?? 0, tokens_revoked: revokeTokens },
        ),
        note: ONCE,
      }))
    },
  },
  {
    name: 'app end-old-secret',
    summary: 'Ends the old secret that rotate-secret --keep-old has kept.',
    details: 'Tokens obtained with it stay valid until they expire, unless --revoke-tokens is given.',
    operands: [CLIENT_ID],
    options: { 'revoke-tokens': REVOKE },
    run: (input, io) =>
      withDatabase(io, 'app end-old-secret', async ({ db }) => ({
        value: await ofApp(
          db,
          input,
          'rotate_secret',
          (db) => endOldSecret(db, input.text('CLIENT_ID'), { revokeTokens: input.has('revoke-tokens') }),
          { keep_old_seconds: 0, tokens_revoked: input.has('revoke-tokens') },
        ),
      })),
  },
]
