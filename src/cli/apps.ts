import { createApp } from '../auth/create-app.ts'
import { describeApp, disableApp, enableApp, listApps, removeApp } from '../auth/queries.ts'
import { endOldSecret, rotateSecret } from '../auth/rotate-secret.ts'
import type { Command } from './arguments.ts'
import { confirm, withDatabase, YES } from './command-context.ts'
import { readDuration } from './duration.ts'

const CLIENT_ID = { name: 'CLIENT_ID', about: 'Client id of the app, from app list.' }
const REVOKE = { about: 'Also revoke every token issued so far.' }
const ONCE = 'Save the client_secret now: it is not shown again.'

export const appCommands: readonly Command[] = [
  {
    name: 'app create',
    summary: 'Creates an app and shows its secret once.',
    options: { name: { value: 'NAME', required: true, about: 'Name of the app.' } },
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
    summary: 'Disables an app. Its tokens stop working at once.',
    details: 'Enabling it again does not restore its tokens; the app must request new ones.',
    operands: [CLIENT_ID],
    run: (input, io) =>
      withDatabase(io, 'app disable', async ({ db }) => ({ value: await disableApp(db, input.text('CLIENT_ID')) })),
  },
  {
    name: 'app enable',
    summary: 'Enables a disabled app.',
    operands: [CLIENT_ID],
    run: (input, io) =>
      withDatabase(io, 'app enable', async ({ db }) => ({ value: await enableApp(db, input.text('CLIENT_ID')) })),
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
        await removeApp(db, app.client_id)
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
        value: await rotateSecret(db, input.text('CLIENT_ID'), { revokeTokens, keepOldSeconds }),
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
        value: await endOldSecret(db, input.text('CLIENT_ID'), { revokeTokens: input.has('revoke-tokens') }),
      })),
  },
]
