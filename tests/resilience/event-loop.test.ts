import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { API_PREFIX } from '../../src/config/config.ts'
import type { RouteEntry } from '../../src/core/http/route-table.ts'
import type { JsonSchema } from '../../src/core/input/validation-messages.ts'
import { PERMISSIONS } from '../../src/resources/permissions/catalogue.ts'
import { startTestApi } from '../support/api.ts'
import { freePort } from '../support/free-port.ts'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { databaseUrl } from '../support/test-database.ts'
import { createFullStore, type FullStore, writesFor } from './full-store.ts'
import { recordResult } from './results-table.ts'
import { bodiesForParser, bodiesForSchema } from './worst-bodies.ts'

const PROBE = fileURLToPath(new URL('../support/event-loop-probe.mjs', import.meta.url))
/**
 * How long the server may work on one request before it turns to others. A slower or busier machine is given what
 * parsing the largest body takes there, and two fifths more for everything else.
 */
const MAX_TURN_MS = 50
const MAX_TIMES_PARSE = 1.4
/** The best of so many tries counts: code that is compiled while it runs, and garbage of earlier requests, are not the body's fault. */
const TRIES = 5
const ANONYMOUS_BYTES = 16_000

interface Target {
  name: string
  method: string
  path: string
  bodies: Record<string, string>
  anonymous?: boolean
}

/** The processor time that `JSON.parse` takes for a text, in milliseconds: the median of several times. */
const timeToParse = (text: string) => {
  const times = Array.from({ length: 9 }, () => {
    const before = process.cpuUsage()
    JSON.parse(text)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return times.sort((a, b) => a - b)[4] as number
}

const startProbedServer = async ({ api }: FullStore) => {
  const { client_id, client_secret, install_id } = await api.install(PERMISSIONS)
  const port = await freePort()
  const server = startProcess({
    DATABASE_URL: databaseUrl(api.connection),
    DATA_DIR: await temporaryFolder(),
    DEMO: 'false',
    LOG_LEVEL: 'error',
    WEBHOOKS: 'off',
    NODE_OPTIONS: `--import ${PROBE}`,
    PROBE_PORT: String(port),
  })
  const base = await server.ready()
  const probe = async () => Number(await (await fetch(`http://127.0.0.1:${port}`)).text())
  const send = (method: string, path: string, body: string, token?: string) =>
    fetch(base + path, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body,
    })
  const reply = await send('POST', '/auth/get-token', JSON.stringify({ client_id, client_secret, install_id }))
  const { token } = ((await reply.json()) as { data: { token: string } }).data

  /** The longest turn of the event loop, in the best of several tries. */
  const longestTurn = async ({ name, method, path, anonymous }: Target, body: string, limitMs: number) => {
    let shortest = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < TRIES && shortest > limitMs; attempt++) {
      await probe()
      const reply = await send(method, path, body, anonymous ? undefined : token)
      await reply.arrayBuffer()
      shortest = Math.min(shortest, await probe())
      expect(reply.status, name).toBeLessThan(500)
    }
    return Math.round(shortest)
  }
  return { longestTurn, server }
}

/** Every route with a JSON body. Of routes with the same schema, the first. */
const targetsOf = (store: FullStore): Target[] => {
  const samples = new Map(writesFor(store).map((sample) => [sample.route, sample]))
  const seen = new Set<string>()
  const toTarget = ({ method, url, schema, bodyLimit }: RouteEntry): Target[] => {
    const path = url.slice(API_PREFIX.length)
    const { params = {}, body = {} } = samples.get(`${method} ${path}`) ?? {}
    const shape = (schema as { body: JsonSchema }).body
    const key = JSON.stringify(shape)
    if (seen.has(key)) return []
    seen.add(key)
    return [
      {
        name: `${method} ${path}`,
        method,
        path: path.replace(/:(\w+)/g, (_, name) => params[name] ?? 'none'),
        bodies: bodiesForSchema(shape, body as object, bodyLimit && bodyLimit - 1024),
      },
    ]
  }
  return store.api.app.routeTable
    .filter(({ url, schema, config }) => 'body' in schema && url.startsWith(API_PREFIX) && !config.ndjsonBody)
    .flatMap(toTarget)
}

test('no body of any route keeps the event loop busy for long, accepted or refused', async () => {
  const store = await createFullStore(() => startTestApi({ WEBHOOKS: 'off' }))
  const { longestTurn, server } = await startProbedServer(store)
  const targets: Target[] = [
    { name: 'any route', method: 'POST', path: '/customer', bodies: bodiesForParser() },
    {
      name: 'get-token',
      method: 'POST',
      path: '/auth/get-token',
      bodies: bodiesForParser(ANONYMOUS_BYTES),
      anonymous: true,
    },
    ...targetsOf(store),
  ]
  expect(targets.length).toBeGreaterThan(20)
  const limitMs = Math.max(MAX_TURN_MS, MAX_TIMES_PARSE * timeToParse(bodiesForParser()['many texts'] as string))
  const turns: { body: string; ms: number }[] = []
  for (const target of targets)
    for (const [name, body] of Object.entries(target.bodies)) {
      turns.push({ body: `${target.name}: ${name}`, ms: await longestTurn(target, body, limitMs) })
    }
  await server.stop()
  const slow = turns.filter(({ ms }) => ms > limitMs)
  const longest = Math.max(...turns.map(({ ms }) => ms))
  recordResult({
    case: 'event loop: worst bodies',
    tried: turns.length,
    lost: slow.length,
    note: `${longest} ms at most, ${Math.round(limitMs)} allowed`,
  })
  expect(slow).toEqual([])
})
