import {
  createApp,
  describeApp,
  disableApp,
  enableApp,
  endOldSecret,
  listApps,
  removeApp,
  rotateSecret,
} from '../auth/manage-apps.ts'
import type { Command } from './arguments.ts'
import { confirm, withDatabase, YES } from './command-context.ts'
import { readDuration } from './duration.ts'

const CLIENT_ID = { name: 'CLIENT_ID', about: 'The app, as app list shows it.' }
const REVOKE = { about: 'Also revoke every token issued so far.' }
const ONCE = 'Keep the client_secret now: it is not shown again.'

export const appCommands: readonly Command[] = [
  {
    name: 'app create',
    summary: 'Registers an app and shows its secret, this once.',
    options: { name: { value: 'NAME', required: true, about: 'What the app is called.' } },
    run: (input, io) =>
      withDatabase(io, 'app create', async ({ db }) => ({
        value: await createApp(db, input.text('name')),
        note: ONCE,
      })),
  },
  {
    name: 'app list',
    summary: 'Lists the apps, without their secrets.',
    run: (_input, io) => withDatabase(io, 'app list', async ({ db }) => ({ value: await listApps(db) })),
  },
  {
    name: 'app disable',
    summary: 'Shuts an app out: its tokens stop at once.',
    details: 'Enabling it again does not bring the tokens back; the app has to ask for new ones.',
    operands: [CLIENT_ID],
    run: (input, io) =>
      withDatabase(io, 'app disable', async ({ db }) => ({ value: await disableApp(db, input.text('CLIENT_ID')) })),
  },
  {
    name: 'app enable',
    summary: 'Lets a disabled app in again.',
    operands: [CLIENT_ID],
    run: (input, io) =>
      withDatabase(io, 'app enable', async ({ db }) => ({ value: await enableApp(db, input.text('CLIENT_ID')) })),
  },
  {
    name: 'app remove',
    summary: 'Deletes an app and its installations: its tokens stop at once. The data of the stores stays.',
    details: 'It asks first. app disable shuts it out and can be taken back.',
    operands: [CLIENT_ID],
    options: YES,
    run: (input, io) =>
      withDatabase(io, 'app remove', async ({ db }) => {
        const app = await describeApp(db, input.text('CLIENT_ID'))
        const stores = app.installations === 1 ? '1 store' : `${app.installations} stores`
        await confirm(io, input, `Delete the app ${app.name}, installed on ${stores}.`)
        await removeApp(db, app.client_id)
        return { value: app }
      }),
  },
  {
    name: 'app rotate-secret',
    summary: 'Gives an app a new secret and shows it, this once.',
    details:
      'The old secret stops at once, or with --keep-old after that time: until then both work. Only the last one is\n' +
      'kept. Tokens that it bought live on until they expire, unless revoked too.',
    operands: [CLIENT_ID],
    options: {
      'keep-old': { value: 'TIME', about: 'How long the old secret works as well: 30m, 24h or 7d, 90d at most.' },
      'revoke-tokens': REVOKE,
    },
    run: async (input, io) => {
      const time = input.optional('keep-old')
      const keepOldSeconds = time === undefined ? undefined : readDuration('keep-old', time)
      const revokeTokens = input.has('revoke-tokens')
      return withDatabase(io, 'app rotate-secret', async ({ db }) => ({
        value: await rotateSecret(db, input.text('CLIENT_ID'), { revokeTokens, keepOldSeconds }),
        note: ONCE,
      }))
    },
  },
  {
    name: 'app end-old-secret',
    summary: 'Ends the secret that rotate-secret --keep-old has kept, before its time.',
    details: 'Tokens that it bought live on until they expire, unless revoked too.',
    operands: [CLIENT_ID],
    options: { 'revoke-tokens': REVOKE },
    run: (input, io) =>
      withDatabase(io, 'app end-old-secret', async ({ db }) => ({
        value: await endOldSecret(db, input.text('CLIENT_ID'), { revokeTokens: input.has('revoke-tokens') }),
      })),
  },
]
