// Runs the Dockerfile's instructions without Docker: each stage in its own temporary folder, the last one as an
// unprivileged user if started by root. Starts the server, waits until it is healthy, and stops it. The base image is not
// tested.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('..', import.meta.url))
const lines = (name) =>
  readFileSync(path.join(source, name), 'utf8')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith('#'))

const top = mkdtempSync(path.join(tmpdir(), 'storefront-image-'))
chmodSync(top, 0o755)

const fail = (message) => {
  throw new Error(message)
}

/** The account for `USER node`: `nobody` if run by root, otherwise the current user. */
const account = () => {
  if (process.getuid?.() !== 0) return undefined
  const number = (flag) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout)
  return { name: 'nobody', uid: number('-u'), gid: number('-g') }
}

/** A build stage with its own root folder. */
const stage = (name) => {
  const root = path.join(top, name)
  mkdirSync(root)
  return { root, folder: '/', user: undefined, env: {}, check: undefined, command: undefined }
}

/** Maps paths of the image in a command to the stage's folder. */
const here = ({ root }, text) => text.replace(/(?<=^|[\s='"])\/(app|data)\b/g, `${root}/$1`)

const environment = (stage) => {
  const { PATH, HOME, npm_config_cache } = process.env
  const set = Object.entries(stage.env).map(([name, value]) => [name, here(stage, value)])
  return { PATH, HOME: stage.user ? stage.root : HOME, npm_config_cache, ...Object.fromEntries(set) }
}

const run = (stage, command) => {
  const user = account()
  const text = here(stage, command).replace('chown node:node', user ? `chown ${user.uid}:${user.gid}` : 'true')
  const { status } = spawnSync('sh', ['-c', text], {
    cwd: path.join(stage.root, stage.folder),
    env: environment(stage),
    stdio: ['ignore', 2, 2],
    ...(stage.user && user && { uid: user.uid, gid: user.gid }),
  })
  if (status !== 0) fail(`RUN ${command} ended with ${status}.`)
}

const ignored = lines('.dockerignore').map((pattern) => pattern.replace('**/', ''))
const isSent = (name) => !name.split('/').some((part) => ignored.includes(part))

const copy = (stage, stages, words) => {
  const from = words[0].startsWith('--from=') ? stages[words.shift().slice('--from='.length)] : undefined
  const target = words.pop()
  for (const word of words) {
    const origin = from ? path.join(from.root, word) : path.join(source, word)
    const into = path.join(
      stage.root,
      stage.folder,
      target,
      target.endsWith('/') && word !== '.' ? path.basename(word) : '',
    )
    const filter = (file) => from !== undefined || isSent(path.relative(source, file))
    cpSync(origin, into, { recursive: true, filter, verbatimSymlinks: true })
  }
}

const build = () => {
  const stages = {}
  let now
  for (const line of lines('Dockerfile')) {
    const [, word, rest] = /^(\w+)\s+(.*)$/.exec(line) ?? fail(`Not understood: ${line}`)
    process.stderr.write(`${line}\n`)
    if (word === 'FROM') {
      const name = / AS (\w+)$/.exec(rest)?.[1] ?? 'last'
      stages[name] = now = stage(name)
    } else if (word === 'WORKDIR') {
      now.folder = rest
      mkdirSync(path.join(now.root, rest), { recursive: true })
    } else if (word === 'COPY') copy(now, stages, rest.split(/\s+/))
    else if (word === 'RUN') run(now, rest)
    else if (word === 'USER') now.user = rest
    else if (word === 'ENV')
      for (const pair of rest.split(/\s+/)) Object.assign(now.env, Object.fromEntries([pair.split('=')]))
    else if (word === 'HEALTHCHECK') now.check = /CMD (.*)$/.exec(rest)?.[1]
    else if (word === 'CMD') now.command = JSON.parse(rest)
    else if (!['VOLUME', 'EXPOSE'].includes(word)) fail(`Not understood: ${line}`)
  }
  return now
}

const PORT = '38499'

const serve = async (image) => {
  const user = account()
  image.env.PORT = PORT
  /** @type {import('node:child_process').SpawnOptions} */
  const options = {
    cwd: path.join(image.root, image.folder),
    env: environment(image),
    stdio: ['ignore', 2, 2],
    ...(user && { uid: user.uid, gid: user.gid }),
  }
  const [program, ...words] = image.command
  const server = spawn(program, words, options)
  const ended = once(server, 'exit')
  const isHealthy = () => spawnSync('sh', ['-c', image.check], options).status === 0
  try {
    for (let attempt = 0; !isHealthy(); attempt++) {
      if (server.exitCode !== null || attempt > 120) fail('The server did not become healthy.')
      await sleep(500)
    }
    const store = spawnSync('node', ['dist/cli/main.js', 'store', 'create', '--name', 'Tried'], options)
    if (store.status !== 0) fail('The command line does not work.')
  } finally {
    server.kill('SIGTERM')
  }
  const [code] = await ended
  if (code !== 0) fail(`The server ended with ${code}.`)
  if (isHealthy()) fail('The check says healthy although nothing runs.')
}

try {
  await serve(build())
  process.stdout.write('The Dockerfile works.\n')
} finally {
  rmSync(top, { recursive: true, force: true })
}
