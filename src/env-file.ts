import { existsSync } from 'node:fs'

/** Settings may stand in `.env` of the working folder; the environment itself wins. */
export const loadEnvFile = () => {
  if (existsSync('.env')) process.loadEnvFile('.env')
}
