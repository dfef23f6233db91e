import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { addCleanup } from './cleanup.ts'

/** The built server as a process, as an operator runs it. */
export interface ServerProcess {
  child: ChildProcess
  /** Everything printed so far. */
  output: () => string
  /** Address of the API, once it is ready. */
  ready: () => Promise<string>
  /** Waits for the process to exit. */
  ended: () => Promise<number | null>
  stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** As `npm start` and the image set it. */
const MALLOC = { MALLOC_MMAP_THRESHOLD_: '1048576' }
const MAIN = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url))

export const temporaryFolder = async (prefix = 'storefront-process-') => {
  const folder = await mkdtemp(path.join(tmpdir(), prefix))
  addCleanup(() => rm(folder, { recursive: true, force: true }))
  return folder
}

interface ProcessOptions {
  /** The built program; that of `dist/` by default. */
  main?: string
  /** Arguments of Node itself. */
  nodeArguments?: string[]
}

export const startProcess = (
  settings: Record<string, string>,
  { main = MAIN, nodeArguments = [] }: ProcessOptions = {},
): ServerProcess => {
  // Not the tests' own environment, which contains variables of the same names.
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(process.execPath, [...nodeArguments, main], {
    env: { PATH, HOME, TMPDIR, ...MALLOC, PORT: '0', METRICS: 'on', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += chunk))
  const exited = once(child, 'exit') as Promise<[number | null]>
  const ready = async () => {
    for (let attempt = 0; attempt < 3000; attempt++) {
      const address = /Storefront Apps API\s+(http\S+)/.exec(printed)?.[1]
      if (address) return address
      if (child.exitCode !== null) throw new Error(`The server ended (${child.exitCode}): ${printed}`)
      await sleep(50)
    }
    throw new Error(`The server did not come up: ${printed}`)
  }
  const ended = async () => (await exited)[0]
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal)
      // A frozen process would not react.
      child.kill('SIGCONT')
    }
    return ended()
  }
  addCleanup(() => stop())
  return { child, output: () => printed, ready, ended, stop }
}
