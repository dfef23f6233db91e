import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { sendText } from '../../core/http/json-reply.ts'
import { tagOf } from '../../core/http/versions.ts'
import { data, errors, ref } from '../../core/input/schemas.ts'
import type { Db } from '../../core/storage/database.ts'
import type { SharedPhones } from '../shared-phones/shared-phones.ts'
import { lockStore } from '../stores/queries.ts'
import { Settings, SettingsChanges } from './schema.ts'
import { renderSettings } from './text.ts'
import { checkSettings, updateSettings } from './update-settings.ts'

export const settingRoutes = (app: Api, { db, sharedPhones }: { db: Db; sharedPhones: SharedPhones }) => {
  const key = 'setting'
  const one = data({ setting: ref(Settings) })

  app.get(
    '/setting',
    {
      config: { permission: 'setting:view', extension: true },
      schema: {
        operationId: 'getSettings',
        summary: 'Fetch the settings of the store',
        response: { 200: one, ...errors },
      },
    },
    async ({ store }, reply) => {
      const settings = await renderSettings(db, store, sharedPhones)
      return sendText(reply, key, settings, tagOf(settings))
    },
  )

  app.put(
    '/setting',
    {
      config: { permission: 'setting:update', extension: true },
      schema: {
        operationId: 'updateSettings',
        summary: 'Update the settings of the store',
        description:
          'Only the given fields change. The currency cannot be changed once the store has orders. ' +
          'The domain of the store is one of its domains.',
        body: SettingsChanges,
        response: { 200: one, ...errors },
      },
    },
    async ({ body, store }, reply) => {
      const changes = await checkSettings(db, body, sharedPhones)
      const resource = {
        lock: (db: Db) => lockStore(db, store),
        read: (db: Db) => renderSettings(db, store, sharedPhones),
      }
      return writeOnce(db, reply, { status: 200, key, resource }, async (db) => {
        await updateSettings(db, store, changes)
        return renderSettings(db, store, sharedPhones)
      })
    },
  )
}
