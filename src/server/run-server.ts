import { API_PREFIX, type Config } from '../config/config.ts'
import { buildTextsOnce } from '../core/reading/build-texts.ts'
import {
  connectDatabase,
  type DatabaseConnection,
  migrateDatabase,
  withUntimedDatabase,
} from '../core/storage/connect.ts'
import type { DemoCredentials } from '../demo/credentials-file.ts'
import { consoleCode, firstSteps } from './first-steps.ts'
import { checkPorts } from './free-port.ts'
import type { RunningServer } from './http-server.ts'
import { openLog } from './log.ts'
import { aborted, type Shutdown, watchForShutdown, watchNpm } from './shutdown.ts'
import { endProcess, say } from './standard-output.ts'

const banner = (config: Config, port: number, demo: DemoCredentials | undefined, code: string | undefined) => {
  const base = config.baseUrl.replace(/:0(?=\/)/, `:${port}`)
  const site = base.slice(0, -API_PREFIX.length)
  say(`\nStorefront Apps API   ${base}`)
  say(`Documentation         ${site}/docs`)
  if (config.CONSOLE === 'on') say(`Console               ${site}/console${code ? `/welcome#${code}` : ''}`)
  if (!demo) return
  const body = JSON.stringify({
    client_id: demo.client_id,
    client_secret: demo.client_secret,
    install_id: demo.install_id,
  })
  say(`
Demo store
  install_id     ${demo.install_id}
  client_id      ${demo.client_id}
  client_secret  ${demo.client_secret}

Get a token, then list products:
  TOKEN=$(curl -sS --fail-with-body ${base}/auth/get-token -H 'Content-Type: application/json' -d '${body}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  curl -sS --fail-with-body '${base}/product?page_size=2' -H "Authorization: Bearer $TOKEN"
`)
}

interface Service {
  database: Promise<DatabaseConnection>
  server?: RunningServer
}

/** Migrates, loads the demo store and serves until shutdown is requested, then closes everything in reverse order. */
const run = async (config: Config, service: Service, { requested }: Shutdown) => {
  // Loading the code takes as long as starting the database, so they run in parallel.
  const modules = Promise.all([
    import('./http-server.ts'),
    import('./workers.ts'),
    import('../demo/at-start.ts'),
    import('../core/http/metrics.ts'),
    import('../app.ts'),
    import('../resources/orders/read-phones.ts'),
  ])
  const database = await service.database
  const closing: (() => Promise<void>)[] = [database.close]
  try {
    await migrateDatabase(database.connection, say)
    const [{ startHttpServer }, { startWorkers }, { prepareDemo }, { openMetrics }, { kinds }, { readPhones }] =
      await modules
    requested.throwIfAborted()
    const demo = await prepareDemo(database.connection, config, kinds, say)
    const { steps, code } = await withUntimedDatabase(database.connection, 'start', async ({ db }) => {
      await readPhones(db, say)
      await buildTextsOnce(db, kinds, say)
      return {
        steps: demo ? undefined : await firstSteps(db),
        code: config.CONSOLE === 'on' ? await consoleCode(db, config) : undefined,
      }
    })
    requested.throwIfAborted()
    const server = await (config.WORKERS === 1
      ? startHttpServer(config, database.connection, { demo })
      : startWorkers(config, database.connection, demo))
    service.server = server
    closing.push(server.close)
    closing.push(await openMetrics(config.METRICS, server.readMetrics, say, config.baseUrl))
    banner(config, server.port, demo, code)
    if (steps) say(steps)
    await aborted(requested)
    say('Stopping. Requests in flight are finished first.')
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

/** Runs the service until it is stopped, then exits the process. */
export const runServer = async (config: Config) => {
  const shutdown = watchForShutdown(openLog(config), config.SHUTDOWN_DELAY_SECONDS + config.SHUTDOWN_SECONDS)
  const { requested, urgent } = shutdown
  watchNpm(shutdown.request)
  for (const warning of config.warnings) say(`Warning: ${warning}`)
  await checkPorts(config)
  const service: Service = {
    database: connectDatabase(config, { kind: 'server', address: config.baseUrl, signal: requested }, say),
  }
  const running = run(config, service, shutdown).catch((error) => {
    // A start that is interrupted may fail anywhere.
    if (!requested.aborted) throw error
  })
  await Promise.race([running, aborted(urgent)])
  if (urgent.aborted) {
    service.server?.abandon()
    await (await service.database.catch(() => undefined))?.close()
  }
  await endProcess(urgent.aborted ? 1 : shutdown.exitCode())
}
