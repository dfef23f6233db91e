// Installs the packed client into an empty project and compiles a strict program on it with TypeScript 5.4 to 7,
// declarations included. Needs the npm registry.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const VERSIONS = ['5.4', '5.9', '6', '7']

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(path.join(tmpdir(), 'storefront-client-'))

const run = (command, args, cwd = folder) => {
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed.`)
}

const PROGRAM = `
import { ApiError, type Client, createClient, type Order, type Reply } from 'storefront-apps-client'
import { fileFromPath } from 'storefront-apps-client/node'

const client: Client = createClient({ baseUrl: 'http://127.0.0.1:3000/api/apps/v1', token: 'none', retries: 0 })

export const orders = async (): Promise<Order[]> => (await client.orders.list({ status: 'paid' })).orders
export const first = ({ products }: Reply<'GET /product'>): string | undefined => products[0]?.title
export const upload = async (file: string): Promise<string> => (await client.files.upload(await fileFromPath(file))).url
export const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : undefined)
`

try {
  run('npm', ['run', '--silent', 'release:client'], root)
  const tarball = readdirSync(path.join(root, 'release')).find((name) => name.endsWith('.tgz'))
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  writeFileSync(path.join(folder, 'program.ts'), PROGRAM)
  const compilerOptions = {
    ...{ strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, noEmit: true },
    ...{
      target: 'es2022',
      module: 'nodenext',
      moduleResolution: 'nodenext',
      lib: ['es2023', 'dom', 'dom.asynciterable'],
    },
    types: ['node'],
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', path.join(root, 'release', tarball ?? '')])
  for (const version of VERSIONS) {
    const packages = [`typescript@${version}`, version === '5.4' ? '@types/node@20.11' : '@types/node@20']
    run('npm', ['install', '--no-audit', '--no-fund', '--no-save', '--loglevel=error', ...packages])
    run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.'])
    console.log(`The packed client compiles with TypeScript ${version}.`)
  }
  run(process.execPath, ['--input-type=module', '-e', "await import('storefront-apps-client/node')"])
} finally {
  rmSync(folder, { recursive: true, force: true })
}
