import type { Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import type { SharedPhones } from '../shared-phones/shared-phones.ts'
import { settingRoutes } from './routes.ts'

export const settings: Resource<{ db: Db; sharedPhones: SharedPhones }> = {
  heading: 'Settings',
  description: 'Name, currency, time zone, language and contact of the store.',
  routes: settingRoutes,
  events: { setting: { permission: 'setting:view', actions: ['changed'] } },
  examples: {
    rows: ({ getSettings }) => ({ setting: getSettings?.data.setting }),
    schemas: ({ setting }) => ({ Settings: setting }),
    bodies: () => ({ updateSettings: { time_zone: 'Africa/Tunis', contact_phone: '+216 71 000 000' } }),
  },
}
