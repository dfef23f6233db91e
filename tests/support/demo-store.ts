import { cp, mkdir } from 'node:fs/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { kinds } from '../../src/app.ts'
import { type Config, readConfig } from '../../src/config/config.ts'
import type { DemoCredentials } from '../../src/demo/credentials-file.ts'
import { loadDemoOnce } from '../../src/demo/load.ts'
import { TODAY } from '../../src/demo/random.ts'
import { cloneCitusDatabase, renameCitusDatabase } from './citus.ts'
import { demoFolder, inDatabase } from './global-setup.ts'
import { temporaryFolder } from './server-process.ts'
import { cloneDatabase } from './test-database.ts'

const configIn = (folder: string): Config =>
  readConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATA_DIR: folder,
    DEMO: 'true',
    TOKEN_SECRET: inject('template').repeat(2),
  })

/** Creates the database with the demo store that all test files clone, unless another file has created it. */
const loadOnce = async (name: string, folder: string) => {
  const client = new pg.Client(inject('server'))
  await client.connect()
  try {
    await client.query('select pg_advisory_lock(hashtext($1))', [name])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount) return
    const draft = `${name}_draft`
    const citus = process.env.CITUS_URL
    if (citus) await cloneCitusDatabase(citus, draft, inject('template'))
    else await client.query(`create database ${draft} template ${inject('template')} strategy file_copy`)
    await mkdir(folder)
    await loadDemoOnce(inDatabase(inject('server'), draft), configIn(folder), kinds, { endsAt: TODAY })
    if (citus) await renameCitusDatabase(citus, draft, name)
    else await client.query(`alter database ${draft} rename to ${name}`)
  } finally {
    await client.end()
  }
}

/** A database with the demo store, and the configuration of a server for it. Loading it takes seconds, a copy does not. */
export const cloneDemo = async (): Promise<{ connection: pg.ClientConfig; config: Config; demo: DemoCredentials }> => {
  const name = `${inject('template')}_demo`
  await loadOnce(name, demoFolder(inject('template')))
  const connection = await cloneDatabase(name)
  const folder = await temporaryFolder()
  await cp(demoFolder(inject('template')), folder, { recursive: true })
  const config = configIn(folder)
  const demo = await loadDemoOnce(connection, config, kinds)
  if (!demo) throw new Error('The demo store was not loaded.')
  return { connection, config, demo }
}
