import { isUuid } from '../core/input/uuid.ts'
import { ACTS } from '../resources/accounts/acts.ts'
import { requireAccount } from '../resources/accounts/queries.ts'
import { listAudit } from '../resources/operator/audit-log.ts'
import { requireStore } from '../resources/stores/queries.ts'
import { type Command, UsageError } from './arguments.ts'
import { withDatabase } from './command-context.ts'
import { numberOption } from './number-option.ts'

const MAX_LIMIT = 1000

export const auditCommands: readonly Command[] = [
  {
    name: 'audit list',
    summary: 'Lists who did what to people, stores, apps and webhooks, the newest first.',
    details:
      'Has what was done in the console and with these commands, without secrets. --json shows what was before and after.',
    options: {
      act: { value: 'ACT', about: 'What was done, such as grant or suspend_store.' },
      by: { value: 'EMAIL', about: 'What this person did.' },
      store: { value: 'STORE_ID', about: 'What was done to this store.' },
      search: { value: 'TEXT', about: 'A part of the name of whoever did it, or of what it was done to.' },
      limit: { value: 'NUMBER', about: `How many, at most ${MAX_LIMIT}. Default: 50.` },
    },
    run: (input, io) =>
      withDatabase(io, 'audit list', async ({ db }) => {
        const given = input.optional('act')
        const act = ACTS.find((name) => name === given)
        if (given !== undefined && !act) throw new UsageError(`--act must be one of ${ACTS.join(', ')}.`)
        const by = input.optional('by')
        const store = input.optional('store')
        // A store that was removed has entries, too.
        const store_id = store && isUuid(store) ? store : store && (await requireStore(db, store))
        const account_id = by && (await requireAccount(db, by)).id
        const limit = numberOption(input, 'limit', 50, MAX_LIMIT)
        const { entries } = await listAudit(db, { act, account_id, store_id, search: input.optional('search') }, limit)
        return {
          value: entries,
          shown: entries.map(({ at, actor, act, subject, store, app }) => ({ at, actor, act, subject, store, app })),
        }
      }),
  },
]
