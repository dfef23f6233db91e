import { type Sql, sqlText } from '../storage/sql.ts'

/** Writes a column's value as JSON, byte for byte like PostgreSQL. */
export const value = (column: string | number | boolean | null): string => JSON.stringify(column)

/** Writes an id, a time or a URL of ours, which have nothing to escape: several times as fast. */
export const quoted = (text: string): string => `"${text}"`

/** Writes a time that was read as seconds since 1970: faster than having PostgreSQL format it. */
export const time = (seconds: string): string => quoted(new Date(Math.round(Number(seconds) * 1000)).toISOString())

/** Selects a time for `time`. */
export const seconds = (column: Sql): Sql => sqlText`date_part('epoch', ${column})`

/** Builds an object from fields that are already JSON text, in this order. They may be holes. */
export const object = (fields: Readonly<Record<string, string>>): string => {
  let text = ''
  for (const name in fields) text += `${text && ','}"${name}":${fields[name]}`
  return `{${text}}`
}

export const array = (elements: readonly string[]): string => `[${elements.join()}]`
