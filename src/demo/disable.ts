import type pg from 'pg'
import type { Config } from '../config/config.ts'
import { withUntimedDatabase } from '../core/storage/connect.ts'
import { disableApp } from '../resources/auth/disable-app.ts'
import { masterSecret } from '../resources/auth/secrets.ts'
import { findDemoApp, isOperators } from './load.ts'
import { lockDemo, readNote, writeNote } from './note.ts'

/** Disables the demo app and its tokens. Returns whether it was enabled. An app with a secret of the operator's own is left alone. */
export const disableDemo = (connection: pg.ClientConfig, config: Config): Promise<boolean> =>
  withUntimedDatabase(connection, 'demo', async ({ db }) => {
    const master = await masterSecret(db, config)
    return db.transaction().execute(async (db) => {
      await lockDemo(db)
      const note = await readNote(db)
      const app = note && (await findDemoApp(db, note))
      if (!note || !app || app.disabled_at || (await isOperators(config, master, note, app))) return false
      await disableApp(db, app.client_id)
      await writeNote(db, { ...note, shut: true })
      return true
    })
  })
