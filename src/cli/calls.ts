import { requireAppId } from '../resources/auth/queries.ts'
import { describeUse, isUnused } from '../resources/calls/permission-use.ts'
import { findCalls, listCalls } from '../resources/calls/queries.ts'
import { createEventKinds } from '../resources/events/kinds.ts'
import { type Command, UsageError } from './arguments.ts'
import { withDatabase } from './command-context.ts'

const APP = { value: 'CLIENT_ID', about: 'Of one app only.' }
const MAX_LIMIT = 1000

const statusOf = (text: string | undefined) => {
  if (text === undefined || /^[1-5](xx|\d\d)$/.test(text)) return text
  throw new UsageError('--status must be a status or a class of them, such as 422 or 4xx.')
}

const numberOf = (name: string, text: string | undefined, usual: number, most: number) => {
  const number = text === undefined ? usual : Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= most) return number
  throw new UsageError(`--${name} must be a number from 1 to ${most}.`)
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
        const client = input.optional('app')
        const scope = client === undefined ? {} : { app: await requireAppId(db, client) }
        const request = input.optional('request')
        if (request !== undefined) return { value: await findCalls(db, scope, request) }
        const status = statusOf(input.optional('status'))
        const code = input.optional('code')
        const limit = numberOf('limit', input.optional('limit'), 50, MAX_LIMIT)
        return {
          value: (await listCalls(db, scope, { ...(status && { status }), ...(code && { code }) }, limit)).calls,
        }
      }),
  },
  {
    name: 'permission unused',
    summary: 'Lists the permissions that installations have and do not use.',
    details:
      '`since` says from when on calls are known. What the events of a webhook or of the feed need counts as used. ' +
      'installation revoke takes permissions away.',
    options: { app: APP, days: { value: 'DAYS', about: 'Unused for so many days, at most 365. Default: 90.' } },
    run: (input, io) =>
      withDatabase(io, 'permission unused', async ({ db }) => {
        const client = input.optional('app')
        const days = numberOf('days', input.optional('days'), 90, 365)
        const { RESOURCES } = await import('../app.ts')
        const scope = client === undefined ? {} : { app: await requireAppId(db, client) }
        const installations = await describeUse(db, createEventKinds(RESOURCES), scope, days)
        return {
          value: installations.flatMap(({ id, app, store, since, permissions }) => {
            const unused = permissions.filter(isUnused).map(({ name }) => name)
            return unused.length > 0 ? [{ installation: id, app, store, since, unused }] : []
          }),
        }
      }),
  },
]
