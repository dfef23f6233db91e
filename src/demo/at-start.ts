import path from 'node:path'
import type pg from 'pg'
import type { Config } from '../config/config.ts'
import type { Kinds } from '../core/reading/texts.ts'
import type { FileUrls } from '../resources/files/file-urls.ts'
import type { DemoCredentials } from './credentials-file.ts'
import { disableDemo } from './disable.ts'
import { loadDemoOnce } from './load.ts'

type Say = (line: string) => void

/**
 * Applies the DEMO setting at start-up and returns the credentials that may be shown. On a server that others can reach
 * they are not shown: whoever reads the page or the log would have all permissions on the demo store.
 */
export const prepareDemo = async (
  connection: pg.ClientConfig,
  config: Config,
  kinds: Kinds<FileUrls>,
  say: Say,
): Promise<DemoCredentials | undefined> => {
  const { DEMO, DATA_DIR, isLocal } = config
  if (DEMO === 'false' || (DEMO === 'auto' && !isLocal)) {
    if (await disableDemo(connection, config))
      say(
        'The app of the demo store is disabled: its secret and its tokens no longer work. DEMO=true enables it again; ' +
          '`storefront-apps demo remove` deletes the store.',
      )
    return undefined
  }
  const credentials = await loadDemoOnce(connection, config, kinds)
  if (isLocal || !credentials) return credentials
  say(
    'Warning: DEMO=true on a service that other machines may reach. Its app has every permission on the demo store. ' +
      `Its credentials are in ${path.join(DATA_DIR, 'demo.json')} and are shown nowhere else. DEMO=false disables it.`,
  )
  return undefined
}
