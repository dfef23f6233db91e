import type { Static, TSchema } from 'typebox'
import { isUuid } from '../core/input/uuid.ts'
import { createChecker } from '../core/input/validation.ts'
import type { Db } from '../core/storage/database.ts'
import { identifier, sqlText } from '../core/storage/sql.ts'
import { runSql } from '../core/storage/statement.ts'
import type { StoreId } from '../core/storage/store-id.ts'
import type { Tables } from '../core/storage/tables.ts'
import { ApiError, OperatorError, ValidationErrors } from '../errors.ts'

const optionOf = (field: string, names: Readonly<Record<string, string>>) => {
  const [name = ''] = field.split('.', 1)
  return `--${names[name] ?? name.replaceAll('_', '-')}`
}

/**
 * Checks the options of a command with the schema of the API, runs the operation that the API runs, and names options
 * in errors where the API names fields. `names` maps fields to options with another name.
 */
export const withFields = async <S extends TSchema, T>(
  schema: S,
  values: Record<string, unknown>,
  work: (fields: Static<S>) => Promise<T>,
  names: Readonly<Record<string, string>> = {},
): Promise<T> => {
  const fields = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
  const errors = new ValidationErrors()
  createChecker(schema)(fields, { errors, ignored: [] })
  try {
    errors.throwIfAny()
    return await work(fields as Static<S>)
  } catch (error) {
    if (!(error instanceof ApiError) || Object.keys(error.fields).length === 0) throw error
    const messages = Object.entries(error.fields).map(
      ([field, messages]) => `${optionOf(field, names)} ${messages.join(', and ')}.`,
    )
    throw new OperatorError(messages.join('\n'))
  }
}

/** Refuses an update that names nothing to change. */
export const requireChange = (values: Record<string, unknown>, options: string) => {
  if (Object.values(values).every((value) => value === undefined))
    throw new OperatorError(`Nothing to change: give ${options}.`)
}

/** Commands pass only the id of a row, which is unique across stores. */
export const findStoreOf = async (db: Db, table: keyof Tables, id: string, what: string): Promise<StoreId> => {
  const [row] = isUuid(id)
    ? await runSql<{ store_id: StoreId }>(db, sqlText`select store_id from ${identifier(table)} where id = $1`, [id])
    : []
  if (!row) throw new OperatorError(`There is no ${what} ${id}.`)
  return row.store_id
}

/** For an operation of the API whose fields are not options: the messages of its refusal are the error. */
export const explainRefusal = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const messages = error.code === 'validation_failed' ? Object.entries(error.fields) : []
    const [first] = messages.map(([field, texts]) => `${field} ${texts.join(', and ')}.`)
    throw new OperatorError(first ?? error.message)
  }
}
