import { isUuid } from '../core/input/uuid.ts'
import type { Db } from '../core/storage/database.ts'
import { OperatorError } from '../errors.ts'
import { COMMAND_LINE } from '../resources/accounts/audit.ts'
import { requireAppId } from '../resources/auth/queries.ts'
import { describeUse, isUnused, restoreRevoked, revokeUnused } from '../resources/calls/permission-use.ts'
import { findCalls, groupErrors, listCalls } from '../resources/calls/queries.ts'
import { createEventKinds } from '../resources/events/kinds.ts'
import { requireStore } from '../resources/stores/queries.ts'
import { type Command, type Input, UsageError } from './arguments.ts'
import { confirm, withDatabase, YES } from './command-context.ts'
import { numberOption } from './number-option.ts'

const APP = { value: 'CLIENT_ID', about: 'Of one app only.' }
const MAX_LIMIT = 1000

const statusOf = (text: string | undefined) => {
  if (text === undefined || /^[1-5](xx|\d\d)$/.test(text)) return text
  throw new UsageError('--status must be a status or a class of them, such as 422 or 4xx.')
}

const appScope = async (db: Db, input: Input) => {
  const client = input.optional('app')
  return client === undefined ? {} : { app: await requireAppId(db, client) }
}

export const callCommands: readonly Command[] = [
  {
    name: 'call list',
    summary: 'Lists what apps have called, the newest first.',
    details:
      'Has every failure and every write of the last CALL_LOG_DAYS days, and a sample of the reads. Never has bodies, queries, ' +
      'tokens or addresses.',
    options: {
      app: APP,
      status: { value: 'STATUS', about: 'A status or a class of them, such as 422 or 4xx.' },
      code: { value: 'CODE', about: 'A code of errors, such as validation_failed.' },
      request: { value: 'REQUEST_ID', about: 'The request with this id, from X-Request-Id of its reply.' },
      limit: { value: 'NUMBER', about: `How many, at most ${MAX_LIMIT}. Default: 50.` },
    },
    run: (input, io) =>
      withDatabase(io, 'call list', async ({ db }) => {
        const scope = await appScope(db, input)
        const request = input.optional('request')
        if (request !== undefined) return { value: await findCalls(db, scope, request) }
        const status = statusOf(input.optional('status'))
        const code = input.optional('code')
        const limit = numberOption(input, 'limit', 50, MAX_LIMIT)
        return {
          value: (await listCalls(db, scope, { ...(status && { status }), ...(code && { code }) }, limit)).calls,
        }
      }),
  },
  {
    name: 'call show',
    summary: 'Shows one call: its status, the fields at fault and the permission it asked for.',
    details: 'A caller may send the same id several times; then all of them are shown, the newest first.',
    operands: [{ name: 'REQUEST_ID', about: 'From X-Request-Id of the reply.' }],
    options: { app: APP },
    run: (input, io) =>
      withDatabase(io, 'call show', async ({ db }) => {
        const value = await findCalls(db, await appScope(db, input), input.text('REQUEST_ID'))
        if (value.length === 0)
          throw new OperatorError(
            `There is no call ${input.text('REQUEST_ID')} in the log: it was a successful read that was not sampled, or is too old.`,
          )
        return { value }
      }),
  },
  {
    name: 'call errors',
    summary: 'Lists the errors of calls by code, route and field, the most frequent first.',
    details: 'request_id is that of the latest one: call show explains it.',
    options: { app: APP, hours: { value: 'HOURS', about: 'Of the last hours, at most 720. Default: 24.' } },
    run: (input, io) =>
      withDatabase(io, 'call errors', async ({ db }) => ({
        value: await groupErrors(db, await appScope(db, input), numberOption(input, 'hours', 24, 720)),
      })),
  },
  {
    name: 'permission unused',
    summary: 'Lists the permissions that installations have and do not use, or revokes them.',
    details:
      '`since` says from when on calls are known. What the events of a webhook or of the feed need counts as used. ' +
      'For a day, permission restore gives back what --revoke took away.',
    options: {
      app: APP,
      store: { value: 'STORE_ID', about: 'On one store only.' },
      days: { value: 'DAYS', about: 'Unused for so many days, at most 365. Default: 90.' },
      revoke: { about: 'Revoke them, after a confirmation.' },
      ...YES,
    },
    run: (input, io) =>
      withDatabase(io, 'permission unused', async ({ db, config }) => {
        const days = numberOption(input, 'days', 90, 365)
        const store = input.optional('store')
        const { RESOURCES } = await import('../app.ts')
        const scope = {
          ...(await appScope(db, input)),
          ...(store !== undefined && { store: await requireStore(db, store) }),
        }
        const installations = await describeUse(db, createEventKinds(RESOURCES), scope, days)
        const value = installations.flatMap(({ id, app, store, since, permissions }) => {
          const unused = permissions.filter(isUnused).map(({ name }) => name)
          return unused.length > 0 ? [{ installation: id, app, store, since, unused }] : []
        })
        if (!input.has('revoke') || value.length === 0) return { value }
        // Nothing is counted then, so that everything would look unused.
        if (config.CALL_LOG_DAYS === 0) throw new OperatorError('CALL_LOG_DAYS is 0: nobody knows what is used.')
        const lines = value.map(({ app, store, unused }) => `${app} on ${store}: ${unused.join(' ')}`)
        await confirm(io, input, `Revoke these permissions?\n${lines.join('\n')}\n`, 'A day later this')
        const given = value.map(({ installation: id, unused: permissions }) => ({ id, permissions }))
        const { revoked, undo } = await revokeUnused(db, COMMAND_LINE, scope, given)
        return {
          value: { revoked, undo },
          note: `To give them back within a day: permission restore ${undo.join(' ')}`,
        }
      }),
  },
  {
    name: 'permission restore',
    summary: 'Gives back what permission unused --revoke took away, within a day.',
    details: 'Installations that somebody has changed since stay as they are.',
    operands: [{ name: 'UNDO_ID', about: 'As permission unused --revoke printed them.', many: true }],
    run: (input, io) =>
      withDatabase(io, 'permission restore', async ({ db }) => {
        const wrong = input.list('UNDO_ID').filter((id) => !isUuid(id))
        if (wrong.length > 0) throw new UsageError(`These are no ids: ${wrong.join(' ')}.`)
        return { value: { restored: await restoreRevoked(db, COMMAND_LINE, {}, input.list('UNDO_ID')) } }
      }),
  },
]
