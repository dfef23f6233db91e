import { execFile } from 'node:child_process'
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../tests/support/server-process.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const { PATH, HOME } = process.env
let checkout: string

/** A copy of the build, so that nothing is written into the real project. */
beforeAll(async () => {
  checkout = path.join(await temporaryFolder(), 'check out')
  await mkdir(path.join(checkout, 'docs'), { recursive: true })
  await cp(path.join(root, 'dist'), path.join(checkout, 'dist'), { recursive: true })
  await cp(path.join(root, 'package.json'), path.join(checkout, 'package.json'))
  await symlink(path.join(root, 'node_modules'), path.join(checkout, 'node_modules'))
})

const READ = `
  const { loadEnvFile } = await import(process.argv[1] + '/dist/config/env-file.js')
  const { readConfig } = await import(process.argv[1] + '/dist/config/config.js')
  loadEnvFile()
  const { DATA_DIR, PORT } = readConfig(process.env)
  console.log(JSON.stringify({ DATA_DIR, PORT }))`

/** The settings that a command in this folder reads. */
const settingsIn = async (cwd: string, env: Record<string, string> = {}) => {
  const words = ['--input-type=module', '--eval', READ, checkout]
  const { stdout } = await run(process.execPath, words, { cwd, env: { PATH, HOME, ...env } })
  return JSON.parse(stdout)
}

test('a command run in a subfolder uses the data folder of the project', async () => {
  const docs = path.join(checkout, 'docs')
  const usual = { DATA_DIR: path.join(checkout, 'data'), PORT: 3000 }
  for (const cwd of [checkout, docs, root]) expect(await settingsIn(cwd)).toEqual(usual)
  expect((await settingsIn(docs, { DATA_DIR: './own' })).DATA_DIR).toBe(path.join(docs, 'own'))
})

test('.env is read from the project folder, and its relative paths are resolved there', async () => {
  const docs = path.join(checkout, 'docs')
  await writeFile(path.join(checkout, '.env'), 'DATA_DIR=./shop\nPORT=4000\n')
  await writeFile(path.join(docs, '.env'), 'DATA_DIR=./elsewhere\nPORT=5000\n')
  for (const cwd of [checkout, docs, root])
    expect(await settingsIn(cwd)).toEqual({ DATA_DIR: path.join(checkout, 'shop'), PORT: 4000 })
  expect(await settingsIn(docs, { DATA_DIR: '/srv/shop', PORT: '1' })).toEqual({ DATA_DIR: '/srv/shop', PORT: 1 })
})

test('in the checkout the command works under both names, from any folder', async () => {
  const { version } = JSON.parse(
    (await run('node', ['-p', `JSON.stringify(require('./package.json'))`], { cwd: root })).stdout,
  )
  for (const name of ['storefront', 'storefront-apps']) {
    const env = { PATH, HOME, npm_config_update_notifier: 'false' }
    const { stdout } = await run('npx', ['--no-install', name, '--version'], { cwd: path.join(root, 'docs'), env })
    expect(stdout).toBe(`storefront-apps ${version}\n`)
  }
})
