import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

// Only Node's own modules are used here: this runs before anything is installed.

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const at = (...parts) => path.join(root, ...parts)

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node ${process.versions.node} is too old: 20.19 or newer is needed.`)
  process.exit(1)
}

const hash = (text) => createHash('sha256').update(text).digest('hex')
const read = (name) => readFileSync(at(name), 'utf8')
const readStamp = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

const run = (what, command, args, cleanUp = () => {}) => {
  const windows = process.platform === 'win32'
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: windows })
  if (status === 0) return
  cleanUp()
  console.error(`${what} failed${error ? `: ${error.message}` : ''}.`)
  process.exit(1)
}

/** Compares npm's list of what it installed with what the lockfile asks for on this system. */
const isInstalled = () => {
  if (!existsSync(at('node_modules', '.package-lock.json'))) return false
  const wanted = JSON.parse(read('package-lock.json')).packages
  const there = JSON.parse(read('node_modules/.package-lock.json')).packages
  return Object.entries(wanted).every(
    ([name, { version, optional }]) => name === '' || there[name]?.version === version || (optional && !there[name]),
  )
}

const install = () => {
  if (isInstalled()) return
  console.error('Installing dependencies …')
  run('npm ci', 'npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'])
}

const sources = (folder) =>
  readdirSync(at(folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory()) return sources(name)
    const { mtimeMs, size } = statSync(at(name))
    return [`${name} ${size} ${mtimeMs}`]
  })

/** Builds in a folder beside `target`, then swaps: a build that fails or is interrupted changes nothing. */
const build = ({ folders, target, inputs, steps, keeps = /** @type {string[]} */ ([]) }) => {
  const stamp = at(target, '.built')
  const wanted = hash(
    [...folders.flatMap(sources), ...['package-lock.json', 'tsconfig.json', ...inputs].map(read)].join('\n'),
  )
  if (readStamp(stamp) === wanted) return
  console.error(`Building ${target} …`)
  const draft = `${target}.${process.pid}`
  for (const args of steps(draft))
    run('The build', process.execPath, args, () => rmSync(at(draft), { recursive: true, force: true }))
  writeFileSync(at(draft, '.built'), wanted)
  mkdirSync(at(target), { recursive: true })
  for (const name of keeps.filter((name) => existsSync(at(target, name)))) renameSync(at(target, name), at(draft, name))
  renameSync(at(target), at(`${draft}.old`))
  renameSync(at(draft), at(target))
  rmSync(at(`${draft}.old`), { recursive: true })
}

/** Installs and builds whatever is out of date; when nothing is, this takes some milliseconds. */
install()
build({
  folders: ['src'],
  target: 'dist',
  keeps: ['console'],
  inputs: ['scripts/bundle.mjs'],
  steps: (draft) => [[at('scripts/bundle.mjs'), draft]],
})
build({
  folders: ['client/src'],
  target: 'client/dist',
  inputs: ['client/tsconfig.json', 'scripts/finish-client.mjs'],
  steps: (draft) => [
    [at('node_modules/typescript/bin/tsc'), '-p', 'client/tsconfig.json', '--outDir', draft],
    [at('scripts/finish-client.mjs'), draft],
  ],
})
build({
  folders: ['console', 'client/src'],
  target: 'dist/console',
  inputs: ['scripts/build-console.mjs'],
  steps: (draft) => [[at('scripts/build-console.mjs'), draft]],
})
