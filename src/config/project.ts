import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Root of the checkout, from both `src/config` and `dist/config`. */
export const PROJECT_FOLDER = path.resolve(fileURLToPath(new URL('../..', import.meta.url)))

/** Name of the operator's command. */
export const PROGRAM = 'storefront-apps'

export const readVersion = (): string =>
  JSON.parse(readFileSync(path.join(PROJECT_FOLDER, 'package.json'), 'utf8')).version
