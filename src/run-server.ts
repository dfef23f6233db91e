import { API_PREFIX, type Config } from './config.ts'
import type { DemoCredentials } from './demo/load.ts'
import type { RunningServer } from './serve.ts'
import { migrateDatabase, reachDatabase } from './storage/reach.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

const banner = (config: Config, port: number, demo: DemoCredentials | undefined) => {
  const base = config.baseUrl.replace(/:0(?=\/)/, `:${port}`)
  say(`\nStorefront Apps API   ${base}`)
  say(`Documents             ${base.slice(0, -API_PREFIX.length)}/docs`)
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
  TOKEN=$(curl -s ${base}/auth/get-token -H 'Content-Type: application/json' -d '${body}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  curl -s '${base}/product?page_size=2' -H "Authorization: Bearer $TOKEN"
`)
}

/** Until a signal to stop; a second one does not wait. */
const untilStopped = () =>
  new Promise<void>((resolve) => {
    let asked = false
    const stop = () => {
      if (asked) process.exit(1)
      asked = true
      resolve()
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })

/** The whole service: database, schema, demo store, HTTP, and back down in the opposite order. */
export const runServer = async (config: Config) => {
  const stopped = untilStopped()
  // Reading the code takes as long as starting the database: both at once.
  const parts = Promise.all([
    import('./serve.ts'),
    import('./workers.ts'),
    import('./demo/at-start.ts'),
    import('./http/metrics.ts'),
  ])
  const database = await reachDatabase(config, { kind: 'server', address: config.baseUrl }, say)
  const closing: (() => Promise<void>)[] = [database.close]
  try {
    const applied = await migrateDatabase(database.connection)
    if (applied.length > 0) say(`Applied ${applied.length} migrations: ${applied.join(', ')}.`)
    const [{ serve }, { startWorkers }, { prepareDemo }, { openMetrics }] = await parts
    const demo = await prepareDemo(database.connection, config, say)
    const server: RunningServer =
      config.WORKERS === 1
        ? await serve(config, database.connection, { demo })
        : await startWorkers(config, database.connection, demo)
    closing.push(server.close)
    closing.push(await openMetrics(config.METRICS, server.readMetrics, say))
    banner(config, server.port, demo)
    await stopped
    say('Stopping: requests in flight are let through.')
  } finally {
    for (const close of closing.reverse()) await close()
  }
  process.exit(0)
}
