import { existsSync } from 'node:fs'
import path from 'node:path'
import { PROJECT_FOLDER } from './project.ts'

/**
 * Loads `.env` from the project folder, whatever the working folder is. The environment takes precedence. A relative
 * DATA_DIR in the file is resolved against the project folder.
 */
export const loadEnvFile = (folder = PROJECT_FOLDER) => {
  const file = path.join(folder, '.env')
  if (!existsSync(file)) return
  const fromEnvironment = process.env.DATA_DIR
  process.loadEnvFile(file)
  if (fromEnvironment === undefined && process.env.DATA_DIR?.trim())
    process.env.DATA_DIR = path.resolve(folder, process.env.DATA_DIR.trim())
}
