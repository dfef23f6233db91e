import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase, databaseUrl } from '../../tests/support/test-database.ts'
import { readConfig } from '../config/config.ts'
import { runCommandLine } from './run.ts'

const entry = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const children: ChildProcess[] = []
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'storefront process '))
})

afterAll(async () => {
  for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true, maxRetries: 20 })
})

const start = (words: string[], settings: Record<string, string>) => {
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, [entry, ...words], { cwd: folder, env: { PATH, HOME, ...settings } })
  children.push(child)
  const written = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    written.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    written.err += chunk
  })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...written }))
  return { child, written, ended }
}

const storefront = (settings: Record<string, string>, ...words: string[]) => start(words, settings).ended

const json = async (settings: Record<string, string>, ...words: string[]) => {
  const { code, out, err } = await storefront(settings, ...words, '--json')
  expect(err).toBe('')
  expect(code).toBe(0)
  return JSON.parse(out)
}

/** The same in this process, where not the process is tested: starting one takes most of a command's time. */
const jsonHere = async (settings: Record<string, string>, ...words: string[]) => {
  const written = { out: '', err: '' }
  const code = await runCommandLine([...words, '--json'], {
    config: () => readConfig(settings),
    print: async (text) => {
      written.out += text
    },
    say: (line) => {
      written.err += line
    },
  })
  expect({ code, err: written.err }).toEqual({ code: 0, err: '' })
  return JSON.parse(written.out)
}

test('commands work before the first start, beside a running server of several processes, and after it', async () => {
  const settings = { DATA_DIR: path.join(folder, 'data'), PORT: '0', DEMO: 'false', WORKERS: '2', LOG_LEVEL: 'warn' }
  const first = await storefront(settings, 'store', 'create', '--name', 'Early', '--json')
  expect(first.err).toMatch(/^Creating the database in .*\n$/)
  const store = JSON.parse(first.out)

  const server = start(['serve'], settings)
  await expect.poll(() => server.written.out + server.written.err).toMatch(/http:\S+\/v1/)
  const base = /http:\S+\/v1/.exec(server.written.out)?.[0]
  const app = await jsonHere(settings, 'app', 'create', '--name', 'App')
  const where = ['--app', app.client_id, '--store', store.id]
  const { install_id } = await jsonHere(settings, 'install', 'create', ...where, '--grant', 'all')
  const { client_id, client_secret } = app
  const asked = await fetch(`${base}/auth/get-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id, client_secret, install_id }),
  })
  const { token } = ((await asked.json()) as { data: { token: string } }).data
  const me = () => fetch(`${base}/auth/me`, { headers: { authorization: `Bearer ${token}` } })
  expect((await me()).status).toBe(200)
  await json(settings, 'install', 'remove', install_id)
  await expect.poll(async () => (await me()).status).toBe(403)

  server.child.kill('SIGTERM')
  expect((await server.ended).code).toBe(0)
  expect(await json(settings, 'store', 'list')).toMatchObject([{ id: store.id }])
})

test('an error goes to standard error only, with exit code 1', async () => {
  const { code, out, err } = await storefront({}, 'store', 'create', '--nmae', 'X')
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toBe("Unknown option '--nmae'. See storefront-apps store create --help.\n")
})

test('at a terminal, an irreversible command asks first', async () => {
  const settings = { DATABASE_URL: databaseUrl(await cloneDatabase()), DATA_DIR: path.join(folder, 'asked') }
  const store = await jsonHere(settings, 'store', 'create', '--name', 'Asked')
  const { PATH, HOME } = process.env
  const answer = async (text: string) => {
    const command = `'${process.execPath}' '${entry}' store remove ${store.id}`
    const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: folder, env: { PATH, HOME, ...settings } })
    children.push(child)
    let shown = ''
    child.stdout.on('data', (chunk) => {
      if (!shown.includes('[y/N]') && `${shown}${chunk}`.includes('[y/N]')) child.stdin.write(text)
      shown += chunk
    })
    const [code] = await once(child, 'close')
    return { code, shown }
  }
  for (const { code, shown } of await Promise.all(['n\n', '\n', '\u0003'].map(answer))) {
    expect(shown).toContain('Delete the store Asked with 0 products')
    expect({ code, changed: !shown.includes('Nothing was changed.') }).toEqual({ code: 1, changed: false })
  }
  expect(await jsonHere(settings, 'store', 'list')).toHaveLength(1)
  expect((await answer('y\n')).code).toBe(0)
  expect(await jsonHere(settings, 'store', 'list')).toEqual([])
})

test('a killed backup leaves no file under its final name, and an interrupted one leaves no file at all', async () => {
  const connection = await cloneDatabase()
  const settings = { DATABASE_URL: databaseUrl(connection), DATA_DIR: path.join(folder, 'other') }
  const holder = new pg.Client(connection)
  await holder.connect()
  await holder.query('begin; lock table store in access exclusive mode')
  const begun = async (name: string) => {
    const backup = start(['backup', name], settings)
    await expect.poll(() => backup.written.err).toContain('country')
    return backup
  }
  const killed = await begun('killed.backup')
  killed.child.kill('SIGKILL')
  const stopped = await begun('stopped.backup')
  stopped.child.kill('SIGTERM')
  expect(await stopped.ended).toMatchObject({ code: 1, err: expect.stringContaining('Interrupted.') })
  await killed.ended
  expect((await readdir(folder)).filter((name) => name.includes('.backup'))).toEqual(['killed.backup.partial'])
  await holder.query('rollback')
  await holder.end()
  expect((await storefront(settings, 'backup', 'killed.backup')).code).toBe(0)
  expect((await readdir(folder)).filter((name) => name.includes('.backup'))).toEqual(['killed.backup'])
})
