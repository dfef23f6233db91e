import { execFile, spawn } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { runCommandLine } from '../src/cli/run.ts'
import { readConfig } from '../src/config/config.ts'
import { startTestApi } from '../tests/support/api.ts'
import { decide, LOCAL_APPS } from '../tests/support/apps.ts'
import { addCleanup } from '../tests/support/cleanup.ts'
import { addPerson, storeCaller } from '../tests/support/console.ts'
import { freePort } from '../tests/support/free-port.ts'
import { temporaryFolder } from '../tests/support/server-process.ts'
import { databaseUrl } from '../tests/support/test-database.ts'

const run = promisify(execFile)
const { PATH, HOME } = process.env
const env = { PATH, HOME }

/** What the commands derive from it must be what the server derives. */
const SETTINGS = { ...LOCAL_APPS, TOKEN_SECRET: 'the same secret for the server and the commands' }

test('a scaffolded app passes its test, starts, is registered, installed, told of orders, opened and uninstalled', async () => {
  const api = await startTestApi(SETTINGS, undefined, { pollMs: 50 })
  const owner = await addPerson(api, { role: 'owner', store: api.store.id })
  const folder = path.join(await temporaryFolder(), 'my-first-app')
  const { DATA_DIR } = api.config
  const command = async (...words: string[]) => {
    let [out, err] = ['', '']
    const code = await runCommandLine([...words, '--json'], {
      config: () =>
        readConfig({ ...SETTINGS, DATABASE_URL: databaseUrl(api.connection), DATA_DIR, PORT: String(api.port) }),
      print: async (text) => {
        out += text
      },
      say: (line) => {
        err += `${line}\n`
      },
    })
    return { code, out, err }
  }

  const port = await freePort()
  const site = `http://127.0.0.1:${port}`
  expect(await command('app', 'scaffold', folder, '--port', String(port))).toMatchObject({ code: 0 })
  expect((await command('app', 'scaffold', folder)).err).toContain('is not empty: nothing was written')
  expect((await run('npm', ['test'], { cwd: folder, env })).stdout).toMatch(/pass 1/)
  await expect(run('npm', ['start'], { cwd: folder, env })).rejects.toThrow('README.md says how to register this app')

  const [manifest, settings] = [path.join(folder, 'manifest.json'), path.join(folder, '.env')]
  const registered = await command('app', 'create', '--manifest', manifest, '--listed', '--env', settings)
  expect(registered).toMatchObject({ code: 0 })
  expect(registered.out).not.toMatch(/sk_|whsec_/)
  expect((await stat(settings)).mode & 0o777).toBe(0o600)
  const { client_id } = JSON.parse(registered.out)
  const again = await command('app', 'create', '--manifest', manifest, '--env', settings)
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('exists already: nothing was registered') })
  expect(await readFile(settings, 'utf8')).toContain(client_id)

  const app = spawn('npm', ['start'], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  addCleanup(async () => {
    process.kill(-(app.pid as number))
  })
  let printed = ''
  app.stdout.on('data', (bytes) => {
    printed += bytes
  })
  await expect.poll(() => printed).toContain(`Listening at ${site}`)

  /** What a browser does that clicks on Install, until it comes back with the answer of the person. */
  const consent = async () => {
    const asked = await fetch(`${site}/install`, { redirect: 'manual' })
    const request = Object.fromEntries(new URL(asked.headers.get('location') as string).searchParams)
    const decision = await decide(owner, api.store.id, request)
    expect(decision.status, decision.text).toBe(200)
    return { answer: decision.body.data.redirect, cookie: asked.headers.get('set-cookie')?.split(';')[0] as string }
  }
  const stolen = await consent()
  expect((await fetch(stolen.answer)).status).toBe(400)
  const { answer, cookie } = await consent()
  const installed = await fetch(answer, { headers: { cookie } })
  expect([installed.status, await installed.text()]).toEqual([200, expect.stringContaining('Installed.')])

  const all = await api.as()
  const product = (await all.post('/product', { title: 'Mug', price: 5, quantity: 3 })).body.data.product
  const variants = [{ variant_id: product.default.id, quantity: 1 }]
  const { order } = (await all.post('/order', { variants })).body.data
  const person = await storeCaller(api, owner)
  const open = async () => {
    const { session } = (await person.post(`/app/${client_id}/boot`)).body.data
    return fetch(`${site}/events`, { headers: { authorization: `Bearer ${session.session_token}` } })
  }
  await expect
    .poll(async () => ((await (await open()).json()) as { events: object[] }).events)
    .toEqual([expect.objectContaining({ type: 'order.created', resource: order.id })])
  expect((await fetch(`${site}/events`, { headers: { authorization: 'Bearer x.y.z' } })).status).toBe(401)
  const page = await (await fetch(`${site}/embed`)).text()
  expect(page).toContain(`connectEmbed("${api.origin}")`)
  expect(page).toContain('<title>my first app</title>')
  expect((await fetch(`${site}/embed.js`)).headers.get('content-type')).toContain('text/javascript')

  expect((await person.delete(`/app/${client_id}`)).status).toBe(200)
  const remembered = async () => JSON.parse(await readFile(path.join(folder, 'installations.json'), 'utf8'))
  await expect.poll(remembered).toEqual({})
})
