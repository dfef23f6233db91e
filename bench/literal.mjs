import pg from 'pg'

/** A value as an SQL literal. */
export const literal = (value) => {
  if (value === null || value === undefined) return 'null'
  if (Buffer.isBuffer(value) || value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`
  if (value instanceof Date) return `'${value.toISOString()}'`
  const items = (list) => `{${list.map((item) => (item === null ? 'null' : JSON.stringify(String(item)))).join()}}`
  return pg.escapeLiteral(Array.isArray(value) ? items(value) : String(value))
}
