import cluster from 'node:cluster'
import { ConfigError, readConfig } from '../config/config.ts'
import { loadEnvFile } from '../config/env-file.ts'
import { DatabaseFault } from '../core/storage/database-fault.ts'
import { runServer } from './run-server.ts'

try {
  loadEnvFile()
  const config = readConfig(process.env)
  if (cluster.isPrimary) await runServer(config)
  else await (await import('./workers.ts')).runWorker(config)
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`${error instanceof ConfigError ? 'Invalid settings:\n' : ''}${message}\n`)
  if (error instanceof DatabaseFault) process.stderr.write(`→ ${error.fix}\n`)
  if (process.env.LOG_LEVEL === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  process.exit(1)
}
