import { CompiledQuery } from 'kysely'
import type { Db } from './database.ts'

/**
 * A read whose text is put together from constant pieces. Values only ever enter through `bind`, so that the text
 * stays the same from call to call, is planned once, and has nowhere for a caller's words to go.
 */
export class Statement {
  readonly values: unknown[] = []

  bind = (value: unknown): string => `$${this.values.push(value)}`

  async run<Row>(db: Db, text: string): Promise<Row[]> {
    return (await db.executeQuery<Row>(CompiledQuery.raw(text, this.values))).rows
  }
}
