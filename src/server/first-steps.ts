import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { PROGRAM } from '../config/project.ts'
import type { Db } from '../core/storage/database.ts'
import { createFirstCode, firstLinkCode } from '../resources/accounts/one-time-links.ts'
import { masterSecret } from '../resources/auth/secrets.ts'

/** How to run the command line here: the Docker image has no scripts/. */
const command = () =>
  existsSync(new URL('../../scripts/storefront.mjs', import.meta.url)) ? `npx ${PROGRAM}` : 'node dist/cli/main.js'

/** The code of the link to set up the console, while there is no operator. */
export const consoleCode = async (db: Db, config: Config) =>
  firstLinkCode(db, createFirstCode(await masterSecret(db, config)))

/** The commands that create a first store and app, if there is no store yet. */
export const firstSteps = async (db: Db): Promise<string | undefined> => {
  const store = await db.selectFrom('store').select('id').limit(1).executeTakeFirst()
  if (store) return undefined
  return `
There is no store yet. These commands create a store and an app, and install the app on the store:
  ${command()} store create --name "My shop" --domain shop.example --currency USD
  ${command()} app create --name "My app"
  ${command()} install create --app CLIENT_ID --store STORE_ID --grant all
`
}
