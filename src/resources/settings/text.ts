import { object, value } from '../../core/reading/json-text.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { SharedPhones } from '../shared-phones/shared-phones.ts'
import { readSettings } from './queries.ts'
import type { Settings } from './schema.ts'

export const renderSettings = async (db: Db, store: StoreId, { isOn }: Pick<SharedPhones, 'isOn'>) => {
  const settings = await readSettings(db, store)
  return object<Settings>({
    name: value(settings.name),
    currency: value(settings.currency),
    time_zone: value(settings.time_zone),
    language: value(settings.language),
    contact_email: value(settings.contact_email),
    contact_phone: value(settings.contact_phone),
    contact_address: value(settings.contact_address),
    logo_id: value(settings.logo_id),
    country_id: value(settings.country_id),
    can_share_phone_counts: value(isOn),
    order_desk: settings.order_desk,
  })
}
