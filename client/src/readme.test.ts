import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { startShop } from '../testing/shop.ts'

const run = promisify(execFile)
const CLIENT = fileURLToPath(new URL('..', import.meta.url))
const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

/** The examples as one program: the first connects, each further one is a scope of its own. */
const toProgram = (readme: string) => {
  const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code as string)
  const imports = blocks.flatMap((block) => block.match(/^import .*$/gm) ?? [])
  const [first, ...others] = blocks.map((block) => block.replace(/^import .*$/gm, ''))
  return [...imports, first, ...others.map((block) => `{\n${block}}`)].join('\n')
}

/** A project that has the client installed, as it is published: what was built, and the package file. */
const startProject = async () => {
  await mkdir(path.join(CLIENT, 'dist'), { recursive: true })
  const folder = await mkdtemp(path.join(CLIENT, 'dist', 'readme-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  await mkdir(path.join(folder, 'node_modules'))
  await symlink(CLIENT, path.join(folder, 'node_modules/storefront-apps-client'), 'dir')
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const lib = ['es2023', 'dom', 'dom.asynciterable']
  const compilerOptions = { strict: true, target: 'es2023', module: 'nodenext', lib, types: ['node'] }
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['readme.ts'] }))
  return folder
}

test('the examples of the README compile and run', async () => {
  const { app, proxy, client } = await startShop()
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
}, 60_000)

test('what a page loads needs nothing of Node', async () => {
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
