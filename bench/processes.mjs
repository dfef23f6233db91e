import { fork, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireEdit } from './forget-replies.mjs'
import { api, bench, dist } from './paths.mjs'

const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address())
      probe.close(() => resolve(port))
    })
  })

/** A child process that takes jobs over IPC and replies to each. */
export const helper = (file) => {
  const child = fork(path.join(bench, file), { serialization: 'advanced' })
  return {
    pid: child.pid,
    ask: (job) =>
      new Promise((resolve, reject) => {
        const gone = () => reject(new Error(`${file} ended without an answer.`))
        child.once('exit', gone)
        child.once('message', (/** @type {any} */ answer) => {
          child.off('exit', gone)
          if (answer.error) reject(new Error(answer.error))
          else resolve(answer)
        })
        child.send(job)
      }),
    stop: () => child.kill(),
  }
}

const ended = (child) =>
  new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve(undefined)))

/** The address of a database, as DATABASE_URL takes it. */
export const databaseUrl = ({ host, port, user, password = '' }, database) =>
  `postgresql://${user}:${password}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`

/** On a machine that is busy with other work, a start may take half a minute. */
const MAX_START_SECONDS = 120

/** Starts the built server as an operator does, and discards its log. */
export const startServer = async (env, { maxSeconds = MAX_START_SECONDS } = {}) => {
  const port = await freePort()
  const started = performance.now()
  const child = spawn(
    process.execPath,
    [...(process.env.BENCH_NODE_FLAGS?.split(' ') ?? []), path.join(dist, 'server/main.js')],
    {
      env: { ...process.env, HOST: '127.0.0.1', PORT: String(port), DEMO: 'false', NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The server ended at its start with code ${child.exitCode}.`)
    if (performance.now() - started > maxSeconds * 1000) {
      child.kill('SIGKILL')
      throw new Error(`The server did not answer within ${maxSeconds} s.`)
    }
    const answered = await fetch(`http://127.0.0.1:${port}${api}/permission`).catch(() => undefined)
    if (answered?.ok) break
    await sleep(5)
  }
  return {
    pid: child.pid,
    port,
    startMs: performance.now() - started,
    stop: () => {
      child.kill('SIGTERM')
      return ended(child)
    },
  }
}

/** Starts a server that remembers no reply, so that the same request again costs what a first one costs. */
export const startForgetfulServer = (env) => {
  requireEdit(dist)
  return startServer({ ...env, NODE_OPTIONS: `--import ${path.join(bench, 'forget-replies.mjs')}` })
}

const line = (pid, name) => {
  try {
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}
/** In MB; NaN without /proc. */
export const residentMb = (pid) => line(pid, 'VmRSS')
export const peakMb = (pid) => line(pid, 'VmHWM')

const TICKS = 100
/** What follows the name in /proc/PID/stat: the state, the parent, … */
const statOf = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')

/** CPU time of all threads in seconds. */
export const cpuSeconds = (pid) => {
  try {
    const fields = statOf(pid)
    return (Number(fields[11]) + Number(fields[12])) / TICKS
  } catch {
    return Number.NaN
  }
}

const parentOf = (pid) => {
  try {
    return Number(statOf(pid)[1])
  } catch {
    return 0
  }
}

/** CPU time in seconds of the embedded PostgreSQL of a data folder: of its processes, and of those that have ended. */
export const postgresCpuSeconds = (dataDir) => {
  const postmaster = Number(readFileSync(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster)
  const ended = statOf(postmaster)
  return pids.reduce((sum, pid) => sum + (cpuSeconds(pid) || 0), (Number(ended[13]) + Number(ended[14])) / TICKS)
}
