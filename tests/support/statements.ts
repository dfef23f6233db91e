import pg from 'pg'
import { vi } from 'vitest'
import { databaseCaller } from '../../src/core/storage/database-caller.ts'

/** The statements that requests send while `work` runs, without those of background jobs, notifications and caches. */
export const statementsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
  const texts: string[] = []
  const { query } = pg.Client.prototype as { query: (...given: unknown[]) => unknown }
  const spy = vi.spyOn(pg.Client.prototype as { query: (...given: unknown[]) => unknown }, 'query')
  spy.mockImplementation(function sent(this: unknown, ...given: unknown[]) {
    const [statement] = given as [string | { text: string }]
    if (databaseCaller.getStore()?.store) texts.push(typeof statement === 'string' ? statement : statement.text)
    return query.apply(this, given)
  })
  try {
    await work()
  } finally {
    spy.mockRestore()
  }
  // `select` only tests an idle connection.
  return texts.filter((text) => text !== 'select')
}
