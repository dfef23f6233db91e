import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the project: one above this file, built or not. */
export const PROJECT_FOLDER = path.resolve(fileURLToPath(new URL('../..', import.meta.url)))

/** What the operator's command is called, as the package installs it. */
export const PROGRAM = 'storefront-apps'

export const readVersion = (): string =>
  JSON.parse(readFileSync(path.join(PROJECT_FOLDER, 'package.json'), 'utf8')).version
