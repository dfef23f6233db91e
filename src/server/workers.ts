import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type pg from 'pg'
import { AggregatorRegistry } from 'prom-client'
import type { Config } from '../config/config.ts'
import type { DemoCredentials } from '../demo/credentials-file.ts'
import { ApiError } from '../errors.ts'
import { type RunningServer, startHttpServer } from './http-server.ts'
import { openLog } from './log.ts'
import { aborted, watchForShutdown } from './shutdown.ts'
import { endProcess } from './standard-output.ts'

/** Environment variables for the workers. Only the primary process starts or waits for the database. */
const CONNECTION = 'STOREFRONT_CONNECTION'
const DEMO = 'STOREFRONT_DEMO'

/** Delay before a worker that exited is replaced, so that one that always crashes does not use all the CPU. */
const RESTART_MS = 500

type FromWorker = { kind: 'listening'; port: number } | { kind: 'failing' } | { kind: 'metrics?'; id: number }
type FromPrimary = { kind: 'metrics'; id: number; text: string | null }

/** Runs several HTTP processes behind one port. One that exits is replaced. */
export const startWorkers = async (
  config: Config,
  connection: pg.ClientConfig,
  demo?: DemoCredentials,
): Promise<RunningServer> => {
  const log = openLog(config)
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
    let replaced = false
    const replace = () => {
      if (replaced || stopping) return
      replaced = true
      setTimeout(() => !stopping && fork(), RESTART_MS)
    }
    worker.on('message', (message: FromWorker) => {
      // It finishes its requests but takes no new ones, so it is replaced already.
      if (message?.kind === 'failing') replace()
      else answer(worker, message)
    })
    worker.on('exit', (code, signal) => {
      if (!stopping) log.error(`An HTTP process exited (${signal ?? code}). It is replaced.`)
      replace()
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
      await Promise.all(
        alive().map((worker) => {
          worker.process.kill('SIGTERM')
          return once(worker, 'exit')
        }),
      )
    },
    abandon: () => {
      stopping = true
      for (const worker of alive()) worker.process.kill('SIGKILL')
    },
  }
}

const alive = (): Worker[] =>
  Object.values(cluster.workers ?? {}).filter((worker): worker is Worker => worker?.isDead() === false)

const listeningPort = (worker: Worker) =>
  new Promise<number>((resolve, reject) => {
    worker.on('message', (message: FromWorker) => message?.kind === 'listening' && resolve(message.port))
    worker.once('exit', (code) => reject(new Error(`An HTTP process could not start (exit code ${code}).`)))
  })

/** Asks the primary process for the metrics of all workers. */
const readAllMetrics = () => {
  let lastId = 0
  const waiting = new Map<number, (text: string | null) => void>()
  process.on('message', (message: FromPrimary) => {
    if (message?.kind !== 'metrics') return
    waiting.get(message.id)?.(message.text)
    waiting.delete(message.id)
  })
  return () =>
    new Promise<string>((resolve, reject) => {
      const id = ++lastId
      waiting.set(id, (text) => {
        if (text !== null) resolve(text)
        else reject(new ApiError('unavailable', 'The metrics of all processes could not be read.'))
      })
      process.send?.({ kind: 'metrics?', id } satisfies FromWorker)
    })
}

export const runWorker = async (config: Config) => {
  const connection = JSON.parse(process.env[CONNECTION] ?? '{}') as pg.ClientConfig
  const demo = process.env[DEMO] ? (JSON.parse(process.env[DEMO]) as DemoCredentials) : undefined
  // Signals to the whole group are handled by the primary process, which tells workers when to stop.
  const shutdown = watchForShutdown(openLog(config), config.SHUTDOWN_DELAY_SECONDS + config.SHUTDOWN_SECONDS)
  const server = await startHttpServer(config, connection, { readAllMetrics: readAllMetrics(), demo })
  process.on('disconnect', shutdown.request)
  process.send?.({ kind: 'listening', port: server.port } satisfies FromWorker)
  await aborted(shutdown.requested)
  if (shutdown.exitCode() !== 0 && process.connected) process.send?.({ kind: 'failing' } satisfies FromWorker)
  await Promise.race([server.close(), aborted(shutdown.urgent)])
  await endProcess(shutdown.exitCode())
}
