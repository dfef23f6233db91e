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
const readStamp = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

const run = (what, command, args) => {
  const windows = process.platform === 'win32'
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: windows })
  if (status === 0) return
  console.error(`${what} failed${error ? `: ${error.message}` : ''}.`)
  process.exit(1)
}

const install = () => {
  const stamp = at('node_modules', '.installed')
  const wanted = hash(readFileSync(at('package-lock.json'), 'utf8'))
  if (readStamp(stamp) === wanted) return
  console.error('Installing dependencies …')
  run('npm ci', 'npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'])
  writeFileSync(stamp, wanted)
}

const sources = (folder) =>
  readdirSync(at(folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory()) return sources(name)
    const { mtimeMs, size } = statSync(at(name))
    return [`${name} ${size} ${mtimeMs}`]
  })

/** Compiles into a folder beside `dist`, then swaps: a build that fails or is cut short changes nothing. */
const build = () => {
  const stamp = at('dist', '.built')
  const wanted = hash([...sources('src'), readFileSync(at('tsconfig.build.json'), 'utf8')].sort().join('\n'))
  if (readStamp(stamp) === wanted) return
  console.error('Building …')
  const draft = `dist.${process.pid}`
  run('The build', process.execPath, [
    at('node_modules/typescript/bin/tsc'),
    '-p',
    'tsconfig.build.json',
    '--outDir',
    draft,
  ])
  for (const name of ['storage/migrations', 'docs/guides', 'docs/examples.json'])
    cpSync(at('src', name), at(draft, name), { recursive: true })
  writeFileSync(at(draft, '.built'), wanted)
  mkdirSync(at('dist'), { recursive: true })
  renameSync(at('dist'), at(`${draft}.old`))
  renameSync(at(draft), at('dist'))
  rmSync(at(`${draft}.old`), { recursive: true })
}

/** Installs and builds what is not in place; when all is, this takes some milliseconds. */
install()
build()
