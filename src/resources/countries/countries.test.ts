import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, inject, test, vi } from 'vitest'
import { cloneDatabase } from '../../../tests/support/test-database.ts'

test('a reader that leaves while the countries are read for the first time does not fail the others', async () => {
  // As in a process that has just started: no country has been read yet.
  vi.resetModules()
  const { openDatabase } = await import('../../core/storage/database.ts')
  const { databaseCaller } = await import('../../core/storage/database-caller.ts')
  const { countryTexts } = await import('./queries.ts')
  const connection = await cloneDatabase(inject('template'))
  const blocker = new pg.Client(connection)
  await blocker.connect()
  await blocker.query('begin; lock table country in access exclusive mode')
  const { db, close } = openDatabase(connection, { pool: 2, prepare: false, name: 'test' })
  const readAs = (isGone: boolean) =>
    databaseCaller.run({ app: undefined, installation: undefined, store: undefined, isGone: () => isGone }, () =>
      countryTexts(db).catch((error: Error) => error.message),
    )
  const readers = Promise.all([readAs(true), readAs(false)])
  // Long enough for the first reader to be given up.
  await sleep(1_000)
  await blocker.end()
  const [, stayed] = await readers
  await close()
  expect(stayed).toBeInstanceOf(Map)
})
