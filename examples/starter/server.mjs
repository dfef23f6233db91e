import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { createApp } from './app.mjs'
import { openInstallations } from './installations.mjs'

// Settings are in the file that `storefront-apps app create --env` writes, or in the environment.
if (existsSync('.env')) process.loadEnvFile()

const setting = (/** @type {string} */ name) => {
  const value = process.env[name]
  if (value) return value
  console.error(`${name} is missing: README.md says how to register this app.`)
  process.exit(1)
}

const site = new URL(setting('SITE_URL'))
const app = createApp({
  service: setting('STOREFRONT_URL'),
  site: site.origin,
  clientId: setting('CLIENT_ID'),
  clientSecret: setting('CLIENT_SECRET'),
  lifecycleSecret: setting('LIFECYCLE_SECRET'),
  installations: await openInstallations(process.env.DATA_FILE ?? 'installations.json'),
})
const host = process.env.HOST ?? '127.0.0.1'
createServer(app).listen(Number(process.env.PORT ?? site.port), host, () => console.log(`Listening at ${site.origin}`))
