import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../tests/support/server-process.ts'
import { readConfig } from '../config/config.ts'
import { runCommandLine } from './run.ts'

const run = promisify(execFile)
const { PATH, HOME } = process.env

const scaffold = async (...words: string[]) => {
  let [out, err] = ['', '']
  const code = await runCommandLine(['app', 'scaffold', ...words], {
    config: () => readConfig({}),
    print: async (text) => {
      out += text
    },
    say: (line) => {
      err += `${line}\n`
    },
  })
  return { code, out, err }
}

/** The words that a shell makes of a command. */
const wordsOf = async (command: string) =>
  (await run('sh', ['-c', `printf '%s\\n' ${command}`])).stdout.trimEnd().split('\n')

test('an app in a folder of any name is called like it, passes its test, and its commands work as copied', async () => {
  const parent = path.join(await temporaryFolder(), "Salma's $& apps")
  for (const [folder, name, packageName] of [
    ['Café Ünïcode 2', 'Café Ünïcode 2', 'cafe-unicode-2'],
    ['Cafe\u0301', 'Café', 'cafe'],
    ['طلبات', 'طلبات', 'app'],
    ['हिन्दी', 'हिन्दी', 'app'],
    ['my_app.v2', 'my app v2', 'my-app-v2'],
  ] as const) {
    const place = path.join(parent, folder)
    const { code, out, err } = await scaffold(place)
    expect([folder, code], err).toEqual([folder, 0])
    const manifest = JSON.parse(await readFile(path.join(place, 'manifest.json'), 'utf8'))
    const { name: called } = JSON.parse(await readFile(path.join(place, 'package.json'), 'utf8'))
    expect([manifest.name, called]).toEqual([name, packageName])
    const [, register = ''] = /Register it: +(.+)/.exec(out + err) ?? []
    const [, start = ''] = /Start it: +cd (.+) && npm start/.exec(out + err) ?? []
    const readme = await readFile(path.join(place, 'README.md'), 'utf8')
    const [written = ''] = /npx storefront-apps app create .+/.exec(readme) ?? []
    for (const command of [register, written])
      expect(await wordsOf(command)).toEqual([
        ...['npx', 'storefront-apps', 'app', 'create'],
        ...['--manifest', path.join(place, 'manifest.json'), '--listed', '--env', path.join(place, '.env')],
      ])
    expect(await wordsOf(start)).toEqual([place])
    expect((await run('npm', ['test'], { cwd: place, env: { PATH, HOME } })).stdout).toMatch(/pass 1/)
  }
})

test('nothing is written over what is there, or under a name that pages cannot show', async () => {
  const parent = await temporaryFolder()
  await mkdir(path.join(parent, 'taken'))
  await writeFile(path.join(parent, 'taken', 'notes.txt'), 'mine')
  for (const [words, message] of [
    [[path.join(parent, 'taken')], 'is not empty: nothing was written'],
    [[path.join(parent, 'taken', 'notes.txt')], 'is not a folder: nothing was written'],
    [[path.join(parent, 'new'), '--name', '<b>x</b>'], '--name must have 2 to 50 letters'],
    [[path.join(parent, 'x')], '--name must have 2 to 50 letters'],
    [[path.join(parent, 'new'), '--port', '70000'], '--port must be a number'],
  ] as const) {
    const { code, err } = await scaffold(...words)
    expect([code, err]).toEqual([1, expect.stringContaining(message)])
  }
  expect(await readdir(parent, { recursive: true })).toEqual(['taken', 'taken/notes.txt'])
})
