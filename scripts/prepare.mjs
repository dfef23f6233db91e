import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

// Only Node's own modules here: this runs before anything is installed.

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

/** npm keeps a list of what it installed: all that the lockfile asks of this system must be in it, as it asks. */
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

/** Compiles into a folder beside `target`, lets a script finish it, then swaps: a build that fails or is cut short changes nothing. */
const build = ({ project, folder, target, also = [], finish }) => {
  const stamp = at(target, '.built')
  const wanted = hash(
    [...sources(folder), ...['package-lock.json', 'tsconfig.json', project, finish].filter(Boolean).map(read)]
      .sort()
      .join('\n'),
  )
  if (readStamp(stamp) === wanted) return
  console.error(`Building ${target} …`)
  const draft = `${target}.${process.pid}`
  const node = (...args) =>
    run('The build', process.execPath, args, () => rmSync(at(draft), { recursive: true, force: true }))
  node(at('node_modules/typescript/bin/tsc'), '-p', project, '--outDir', draft)
  for (const name of also) cpSync(at(folder, name), at(draft, name), { recursive: true })
  if (finish) node(at(finish), draft)
  writeFileSync(at(draft, '.built'), wanted)
  mkdirSync(at(target), { recursive: true })
  renameSync(at(target), at(`${draft}.old`))
  renameSync(at(draft), at(target))
  rmSync(at(`${draft}.old`), { recursive: true })
}

/** Installs and builds what is not in place; when all is, this takes some milliseconds. */
install()
build({
  project: 'tsconfig.build.json',
  folder: 'src',
  target: 'dist',
  also: ['storage/migrations', 'docs/guides', 'docs/examples.json', 'docs/start-page.js', 'demo/media'],
  finish: 'scripts/join-libraries.mjs',
})
build({
  project: 'client/tsconfig.json',
  folder: 'client/src',
  target: 'client/dist',
  finish: 'scripts/finish-client.mjs',
})
