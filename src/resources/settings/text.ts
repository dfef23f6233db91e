import { object, value } from '../../core/reading/json-text.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { SharedPhones } from '../shared-phones/shared-phones.ts'
import { readSettings } from './queries.ts'

export const renderSettings = async (db: Db, store: StoreId, { isOn }: Pick<SharedPhones, 'isOn'>): Promise<string> => {
  const settings = await readSettings(db, store)
  const { order_desk, ...texts } = settings
  return object({
    ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, value(text)])),
    can_share_phone_counts: value(isOn),
    order_desk,
  })
}
