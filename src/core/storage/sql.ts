import type { Tables } from './tables.ts'

declare const brand: unique symbol

/** SQL made only of constants and placeholders, so that no input can get into it. */
export type Sql = string & { readonly [brand]: true }

/** Composes SQL. Literals, other SQL, bound parameters and numbers fit; any other string does not compile. */
export const sqlText = (literals: TemplateStringsArray, ...parts: readonly (Sql | number)[]): Sql =>
  literals.reduce((text, literal, index) => text + parts[index - 1] + literal) as Sql

/** The name of a table or column. */
export const identifier = (name: string): Sql => {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new Error(`${JSON.stringify(name)} is not a name in the schema.`)
  return name as Sql
}

export const joinSql = (parts: readonly Sql[], separator: Sql): Sql => parts.join(separator) as Sql

/**
 * The tables of statements that `inStore` sends: `from ${t.orders} o`. The name is quoted. So a distributed database finds it,
 * and nothing else of the same name, and puts the name of the store's shard in its place. Refer to the table by an alias.
 */
export const t = new Proxy({} as Readonly<Record<keyof Tables, Sql>>, {
  get: (_, name) => `"${identifier(String(name))}"`,
})

/** A comma-separated list of names. */
export const identifiers = (names: readonly string[]): Sql => joinSql(names.map(identifier), COMMA)

/** Separators for joinSql. */
export const AND = sqlText` and `
export const OR = sqlText` or `
export const COMMA = sqlText`, `

/** Maps a value, such as a sort direction, to constant SQL. */
export const chooseSql = <Value extends string>(value: Value, choices: Readonly<Record<Value, Sql>>): Sql => {
  if (!Object.hasOwn(choices, value)) throw new Error(`There is no SQL for ${JSON.stringify(value)}.`)
  return choices[value]
}

const DIRECTIONS = { ASC: sqlText`asc`, DESC: sqlText`desc` }

export const directionSql = (direction: 'ASC' | 'DESC'): Sql => chooseSql(direction, DIRECTIONS)

/** The placeholder of the nth parameter, counted from 1. */
export const placeholder = (number: number): Sql => {
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`${number} is not the number of a parameter.`)
  return `$${number}` as Sql
}
