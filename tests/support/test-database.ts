import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { cloneCitusDatabase, createCitusDatabase, dropCitusDatabase } from './citus.ts'
import { addCleanup } from './cleanup.ts'
import { inDatabase } from './global-setup.ts'

const connectOnce = async (as: 'server' | 'admin') => {
  const client = new pg.Client(inject(as))
  client.on('error', () => {})
  client.once('end', () => delete clients[as])
  await client.connect()
  return client
}

/** Kept for all files of a worker. */
const clients: { server?: Promise<pg.Client>; admin?: Promise<pg.Client> } = {}

const onServer = async (statement: string, as: 'server' | 'admin' = 'server') => {
  clients[as] ??= connectOnce(as)
  await (await clients[as]).query(statement)
}

const newName = () => `${inject('template')}_${randomBytes(4).toString('hex')}`

/** A database without a schema. It is dropped when the test file ends. */
export const createEmptyDatabase = async (): Promise<pg.ClientConfig> => {
  const name = newName()
  const citus = process.env.CITUS_URL
  if (citus) {
    await createCitusDatabase(citus, name)
    addCleanup(() => dropCitusDatabase(citus, name))
    return inDatabase(inject('server'), name)
  }
  await onServer(`create database ${name} encoding 'UTF8' template template0 strategy file_copy`)
  await onServer(`alter database ${name} set synchronous_commit = off`)
  addCleanup(() => onServer(`drop database if exists ${name} with (force)`, 'admin'))
  return inDatabase(inject('server'), name)
}

/** A copy of the migrated, empty database, or of another one. It is dropped when the test file ends. */
export const cloneDatabase = async (template = inject('template')): Promise<pg.ClientConfig> => {
  const name = newName()
  // By default every page goes through the write-ahead log.
  const citus = process.env.CITUS_URL
  if (citus) {
    await cloneCitusDatabase(citus, name, template)
    addCleanup(() => dropCitusDatabase(citus, name))
    return inDatabase(inject('server'), name)
  }
  await onServer(`create database ${name} template ${template} strategy file_copy`)
  await onServer(`alter database ${name} set synchronous_commit = off`)
  // Only an administrator may interrupt autovacuum.
  addCleanup(() => onServer(`drop database if exists ${name} with (force)`, 'admin'))
  return inDatabase(inject('server'), name)
}

/** The database as a DATABASE_URL. */
export const databaseUrl = ({ connectionString, host, port, user, password, database }: pg.ClientConfig): string => {
  if (connectionString) return connectionString
  const url = new URL(`postgresql://${user}@localhost/${database}`)
  if (typeof password === 'string') url.password = password
  url.searchParams.set('host', host ?? '')
  url.searchParams.set('port', String(port))
  return url.toString()
}
