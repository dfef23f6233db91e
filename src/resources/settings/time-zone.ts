import type { Db } from '../../core/storage/database.ts'
import { errorCode } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'

const INVALID_PARAMETER = '22023'

/** The zone with Node's spelling, unless Node treats it as an alias; undefined if Node does not know it. */
const knownToNode = (zone: string): string | undefined => {
  // Node also accepts offsets such as +01:00, which have no daylight saving time.
  if (!/^[A-Za-z]/.test(zone)) return undefined
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions()
    return timeZone.toLowerCase() === zone.toLowerCase() ? timeZone : zone
  } catch {
    return undefined
  }
}

/**
 * Returns the name of a time zone that both Node and PostgreSQL know, or undefined. Do not call this inside a
 * transaction, which an unknown name would abort.
 */
export const findTimeZone = async (db: Db, zone: string): Promise<string | undefined> => {
  const name = knownToNode(zone)
  if (name === undefined) return undefined
  try {
    await runSql(db, sqlText`select now() at time zone $1::text`, [name])
    return name
  } catch (error) {
    if (errorCode(error) === INVALID_PARAMETER) return undefined
    throw error
  }
}
