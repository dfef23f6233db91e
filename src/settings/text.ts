import { object, value } from '../reading/json-text.ts'
import type { Db } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'
import { readSettings } from './queries.ts'

export const renderSettings = async (db: Db, store: StoreId): Promise<string> => {
  const settings = await readSettings(db, store)
  return object(Object.fromEntries(Object.entries(settings).map(([name, text]) => [name, value(text)])))
}
