import { sql } from 'kysely'
import { noteWork } from '../../core/jobs/store-work.ts'
import type { Tx } from '../../core/storage/database.ts'
import { invalid } from '../../errors.ts'
import type { Owner } from './lock-webhook.ts'
import { checkUrl, type Rules } from './rules.ts'
import { MAX_WEBHOOKS, type NewWebhook } from './schema.ts'
import { startPosition } from './start-position.ts'

export const createWebhook = async (db: Tx, owner: Owner, rules: Rules, given: NewWebhook): Promise<string> => {
  const { store, installation, permissions } = owner
  const { cursor = 'now', changed = null, ...fields } = given
  checkUrl(given.url, rules)
  rules.eventKinds.checkTypes(given.types, permissions)
  // Concurrent requests must not exceed the limit together.
  const { app_id } = await db
    .selectFrom('installation')
    .select('app_id')
    .where('id', '=', installation)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const { count } = await db
    .selectFrom('webhook')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('store_id', '=', store)
    .where('installation_id', '=', installation)
    .executeTakeFirstOrThrow()
  if (count >= MAX_WEBHOOKS)
    throw invalid({ url: [`cannot be added: the installation has ${MAX_WEBHOOKS} webhooks already`] })
  const { position, n } = await startPosition(db, store, cursor, 'cursor')
  const { id } = await db
    .insertInto('webhook')
    .values({
      ...fields,
      url: new URL(given.url).href,
      changed,
      store_id: store,
      installation_id: installation,
      app_id,
      position,
      n,
      key_mark: rules.secrets.mark,
      due_at: sql`now()`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await noteWork(db, 'webhooks', [store])
  return id
}
