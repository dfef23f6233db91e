import { existsSync } from 'node:fs'
import path from 'node:path'
import { PROJECT_FOLDER } from './project.ts'

/**
 * Settings may stand in `.env` of the project's folder, wherever a command is run; the environment itself wins. A
 * relative DATA_DIR means a folder beside the file it is written in.
 */
export const loadEnvFile = (folder = PROJECT_FOLDER) => {
  const file = path.join(folder, '.env')
  if (!existsSync(file)) return
  const given = process.env.DATA_DIR
  process.loadEnvFile(file)
  if (given === undefined && process.env.DATA_DIR?.trim())
    process.env.DATA_DIR = path.resolve(folder, process.env.DATA_DIR.trim())
}
