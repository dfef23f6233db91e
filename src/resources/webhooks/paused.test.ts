import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { noteWorkChange } from '../../core/jobs/store-work.ts'
import { createPausedWebhooks } from './paused.ts'

test('a webhook that is paused while all are read is not forgotten', async () => {
  const { db, store } = await startTestApi({ WEBHOOKS: 'off' })
  const paused = createPausedWebhooks(db, 10)
  await noteWorkChange(db, 'paused', store.id)
  const waits = async () => {
    const { rows } = await sql<{ waiting: number }>`select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%from webhook%'`.execute(db)
    return rows[0]?.waiting
  }
  await db.transaction().execute(async (locking) => {
    await sql`lock table webhook in access exclusive mode`.execute(locking)
    paused.start()
    await eventually(async () => expect(await waits()).toBe(1))
    paused.add('installation', 'webhook')
    // Nothing is read after this.
    paused.close()
  })
  await eventually(async () => expect(await waits()).toBe(0))
  const seen = new Set<string>()
  for (let n = 0; n < 20; n++) {
    seen.add(String(paused.of('installation')))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect([...seen]).toEqual(['webhook'])
})
