import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { addCleanup } from '../../tests/support/cleanup.ts'
import { startClientFixture } from '../../tests/support/client-fixture.ts'

const run = promisify(execFile)
const CLIENT = fileURLToPath(new URL('..', import.meta.url))
const ROOT = path.resolve(CLIENT, '..')
const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc')

/** The examples as one program: the first connects, each further one is a scope of its own. */
const toProgram = (readme: string) => {
  const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code as string)
  const imports = blocks.flatMap((block) => block.match(/^import .*$/gm) ?? [])
  const [first, ...others] = blocks.map((block) => block.replace(/^import .*$/gm, ''))
  return [...imports, first, ...others.map((block) => `{\n${block}}`)].join('\n')
}

/** An empty project with the built client in its node_modules. CI packs and installs it for real. */
const startProject = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'storefront-client-'))
  addCleanup(() => rm(folder, { recursive: true, force: true }))
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const installed = path.join(folder, 'node_modules/storefront-apps-client')
  for (const name of ['package.json', 'dist'])
    await cp(path.join(CLIENT, name), path.join(installed, name), { recursive: true })
  await symlink(path.join(ROOT, 'node_modules/@types'), path.join(folder, 'node_modules/@types'), 'dir')
  const lib = ['es2023', 'dom', 'dom.asynciterable']
  const strict = { strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true }
  const compilerOptions = { ...strict, target: 'es2023', module: 'nodenext', lib, types: ['node'] }
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['readme.ts'] }))
  return folder
}

test('an installed client compiles in strict mode, and the README examples run', async () => {
  const { app, proxy, client } = await startClientFixture()
  const folder = await startProject()
  await writeFile(path.join(folder, 'readme.ts'), toProgram(await readFile(path.join(CLIENT, 'README.md'), 'utf8')))
  const built = run(process.execPath, [TSC, '-p', '.'], { cwd: folder })
  await built.catch(({ stdout }) => expect.unreachable(stdout))
  const { stdout } = await run(process.execPath, ['readme.js'], {
    cwd: folder,
    env: {
      ...process.env,
      STOREFRONT_URL: proxy.baseUrl,
      CLIENT_ID: app.client_id,
      CLIENT_SECRET: app.client_secret,
      INSTALL_ID: app.install_id,
    },
  })
  expect(stdout).toContain(`Connected as ${app.client_id}`)
  expect(stdout).toContain('1 of 1')
  expect(stdout).toMatch(/bytes\nhttp:\S+/)
  const [order] = (await client.orders.list()).orders
  expect(stdout.split('\n').filter((line) => line.startsWith(`${order?.ref} `))).toHaveLength(3)
  expect(await readFile(path.join(folder, 'orders.csv'), 'utf8')).toContain(order?.ref)
  expect((await client.products.list()).products).toMatchObject([{ description: 'Fired twice.' }])
})

test('the browser bundle needs nothing from Node', async () => {
  const loaded = new Set<string>()
  const load = async (name: string): Promise<void> => {
    if (loaded.has(name)) return
    loaded.add(name)
    const code = await readFile(path.join(CLIENT, 'dist', name), 'utf8')
    const imports = [...code.matchAll(/from '([^']+)'/g)].map(([, from]) => from as string)
    for (const from of imports) {
      expect(from, `${name} imports ${from}`).toMatch(/^\.\//)
      await load(from.slice(2))
    }
    expect(code).not.toMatch(/\b(process|Buffer|require)\b[.(]/)
  }
  await load('index.js')
  expect(loaded).toContain('send.js')
  expect(loaded).not.toContain('node.js')
})
