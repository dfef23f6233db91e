import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type pg from 'pg'
import { AggregatorRegistry } from 'prom-client'
import type { Config } from './config.ts'
import type { DemoCredentials } from './demo/load.ts'
import { ApiError } from './errors.ts'
import { type RunningServer, serve } from './serve.ts'

/** What the first process hands down; the database is reached once, by it. */
const CONNECTION = 'STOREFRONT_CONNECTION'
const DEMO = 'STOREFRONT_DEMO'

type FromWorker = { kind: 'listening'; port: number } | { kind: 'metrics?'; id: number }
type FromPrimary = { kind: 'metrics'; id: number; text: string | null }

/** Several HTTP processes behind one port. One that dies is replaced. */
export const startWorkers = async (
  config: Config,
  connection: pg.ClientConfig,
  demo?: DemoCredentials,
): Promise<RunningServer> => {
  let stopping = false
  const all = new AggregatorRegistry()
  const readMetrics = () => all.clusterMetrics()

  const answer = (worker: Worker, message: FromWorker) => {
    if (message?.kind !== 'metrics?') return
    const reply = (text: string | null) =>
      worker.isConnected() && worker.send({ kind: 'metrics', id: message.id, text } satisfies FromPrimary)
    readMetrics().then(reply, () => reply(null))
  }
  const fork = () => {
    const worker = cluster.fork({
      [CONNECTION]: JSON.stringify(connection),
      ...(demo && { [DEMO]: JSON.stringify(demo) }),
    })
    worker.on('message', (message: FromWorker) => answer(worker, message))
    worker.on('exit', (code) => {
      if (stopping) return
      process.stderr.write(`An HTTP process ended (${code ?? 'killed'}); starting another.\n`)
      setTimeout(() => !stopping && fork(), 500)
    })
    return worker
  }

  const workers = Array.from({ length: config.WORKERS }, fork)
  const ports = await Promise.all(workers.map(listeningPort))
  return {
    port: ports[0] as number,
    readMetrics,
    close: async () => {
      stopping = true
      const alive = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
      await Promise.all(
        alive.map((worker) => {
          worker.process.kill('SIGTERM')
          return once(worker, 'exit')
        }),
      )
    },
  }
}

const listeningPort = (worker: Worker) =>
  new Promise<number>((resolve, reject) => {
    worker.on('message', (message: FromWorker) => message?.kind === 'listening' && resolve(message.port))
    worker.once('exit', (code) => reject(new Error(`An HTTP process could not start (exit code ${code}).`)))
  })

/** Numbers of all processes, asked of the one that knows them. */
const readAllMetrics = () => {
  let asked = 0
  const waiting = new Map<number, (text: string | null) => void>()
  process.on('message', (message: FromPrimary) => {
    if (message?.kind !== 'metrics') return
    waiting.get(message.id)?.(message.text)
    waiting.delete(message.id)
  })
  return () =>
    new Promise<string>((resolve, reject) => {
      const id = ++asked
      waiting.set(id, (text) => {
        if (text !== null) resolve(text)
        else reject(new ApiError('unavailable', 'The numbers of all processes could not be added up.'))
      })
      process.send?.({ kind: 'metrics?', id } satisfies FromWorker)
    })
}

export const runWorker = async (config: Config) => {
  const connection = JSON.parse(process.env[CONNECTION] ?? '{}') as pg.ClientConfig
  const demo = process.env[DEMO] ? (JSON.parse(process.env[DEMO]) as DemoCredentials) : undefined
  const server = await serve(config, connection, { readAllMetrics: readAllMetrics(), demo })
  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    await server.close()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('disconnect', stop)
  process.send?.({ kind: 'listening', port: server.port } satisfies FromWorker)
}
