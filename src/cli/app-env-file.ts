import { rm, writeFile } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import { OperatorError } from '../errors.ts'

interface Registered {
  client_id: string
  client_secret: string
  lifecycle_secret: string
  /** Of the manifest. */
  url: string
}

/** Takes the place of the file before the app is registered: its secrets are shown once. */
const claim = (file: string) =>
  writeFile(file, '', { flag: 'wx', mode: 0o600 }).catch(({ code }) => {
    const reason = code === 'EEXIST' ? 'exists already' : `cannot be written (${code})`
    throw new OperatorError(`${file} ${reason}: nothing was registered.`)
  })

/** Registers an app and writes its settings into a file that only its owner may read. */
export const writeEnvFile = async <T extends Registered>(
  file: string,
  { origin }: Config,
  register: () => Promise<T>,
) => {
  await claim(file)
  try {
    const app = await register()
    const settings = {
      STOREFRONT_URL: origin,
      SITE_URL: new URL(app.url).origin,
      CLIENT_ID: app.client_id,
      CLIENT_SECRET: app.client_secret,
      LIFECYCLE_SECRET: app.lifecycle_secret,
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
    await writeFile(file, lines.join(''))
    return app
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}
