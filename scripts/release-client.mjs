// Builds the client and packs it as release/storefront-apps-client-VERSION.tgz, ready to install or to publish.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

await import('./prepare.mjs')

const client = fileURLToPath(new URL('../client', import.meta.url))
const target = fileURLToPath(new URL('../release', import.meta.url))
mkdirSync(target, { recursive: true })
const { status } = spawnSync('npm', ['pack', '--loglevel=error', '--pack-destination', target], {
  cwd: client,
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
process.exit(status ?? 1)
