import cluster from 'node:cluster'
import type { Command } from './arguments.ts'

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Runs the server until it is stopped.',
  run: async (_input, io) => {
    const config = io.config()
    // With WORKERS, the primary process runs this same command for each worker.
    if (cluster.isPrimary) await (await import('../server/run-server.ts')).runServer(config)
    else await (await import('../server/workers.ts')).runWorker(config)
    return new Promise<never>(() => {})
  },
}
