import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, inject } from 'vitest'
import { inDatabase } from './global-setup.ts'

const onServer = async (statement: string) => {
  const client = new pg.Client(inject('server'))
  await client.connect()
  await client.query(statement)
  await client.end()
}

/** A database of its own, migrated and empty, gone when the test file ends. */
export const cloneDatabase = async (): Promise<pg.ClientConfig> => {
  const name = `${inject('template')}_${randomBytes(4).toString('hex')}`
  await onServer(`create database ${name} template ${inject('template')}`)
  await onServer(`alter database ${name} set synchronous_commit = off`)
  afterAll(() => onServer(`drop database if exists ${name} with (force)`))
  return inDatabase(inject('server'), name)
}
