import cluster from 'node:cluster'
import type { Command } from './arguments.ts'

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Runs the service until it is stopped.',
  run: async (_input, io) => {
    const config = io.config()
    // With WORKERS the first process starts this same command again for each of the others.
    if (cluster.isPrimary) await (await import('../server/run-server.ts')).runServer(config)
    else await (await import('../server/workers.ts')).runWorker(config)
    return new Promise<never>(() => {})
  },
}
