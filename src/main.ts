import cluster from 'node:cluster'
import { ConfigError, readConfig } from './config.ts'
import { loadEnvFile } from './env-file.ts'
import { runServer } from './run-server.ts'
import { runWorker } from './workers.ts'

const start = cluster.isPrimary ? runServer : runWorker

try {
  loadEnvFile()
  await start(readConfig(process.env))
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`${error instanceof ConfigError ? 'The settings are not right:\n' : ''}${message}\n`)
  if (process.env.LOG_LEVEL === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  process.exit(1)
}
