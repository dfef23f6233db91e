import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { hasPgbouncer, startPgbouncer } from './pgbouncer.ts'
import { startPostgres } from './postgres-server.ts'
import { recordResult } from './results-table.ts'

/** The environment of a run of its own. */
const environment = (settings: Record<string, string>) => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))),
  ...settings,
})

test('the tests of events and webhooks pass behind pgbouncer in transaction mode', async () => {
  if (!hasPgbouncer) return recordResult({ case: 'suite behind pgbouncer (not installed)', tried: 0, lost: 0 })
  const postgres = await startPostgres()
  const pgbouncer = await startPgbouncer(postgres.port, { connections: 20 })
  const run = spawn('npx', ['vitest', 'run', 'src/resources/events', 'src/resources/webhooks', '--reporter=json'], {
    env: environment({ DATABASE_URL: postgres.url, POOLER_URL: pgbouncer.url }),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  run.stdout.on('data', (bytes) => (output += bytes))
  await once(run, 'close')
  const result = JSON.parse(output.slice(output.indexOf('{"numTotal')))
  type Case = { fullName: string; status: string }
  const cases: Case[] = result.testResults.flatMap(
    ({ assertionResults }: { assertionResults: Case[] }) => assertionResults,
  )
  expect(cases.filter(({ status }) => status === 'failed')).toEqual([])
  expect(result.success).toBe(true)
  expect(cases.length).toBeGreaterThan(60)
  recordResult({ case: 'tests of events and webhooks behind pgbouncer', tried: cases.length, lost: 0 })
})
