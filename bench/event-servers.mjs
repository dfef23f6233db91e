import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { APP, copyData, pickTargets } from './data.mjs'
import { api } from './paths.mjs'
import { cpuSeconds, startServer } from './processes.mjs'
import { median } from './table.mjs'

/** @returns {Promise<any[]>} */
export const query = async (connection, text, values = []) => {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

const dropCapture = (connection) =>
  query(
    connection,
    `do $$ declare t record; begin
      for t in select tgname, tgrelid::regclass as source from pg_trigger where tgname like 'capture\\_%' loop
        execute format('drop trigger %I on %s', t.tgname, t.source);
      end loop; end $$`,
  )

/** A server on a copy of the data first renders the kept texts. */
const untilQuiet = async ({ pid }) => {
  for (let quiet = 0, before = cpuSeconds(pid); quiet < 3; ) {
    await sleep(500)
    const now = cpuSeconds(pid)
    quiet = now - before < 0.05 ? quiet + 1 : 0
    before = now
  }
}

/** Two copies of the data with a server each: one captures changes, the other does not. */
export const startSides = async ({ engine, small, environment, getToken }, sides) => {
  for (const name of ['with', 'without']) {
    const copy = await copyData(engine, small, `_${name}`)
    const connection = { ...engine, database: copy }
    if (name === 'without') await dropCapture(connection)
    const server = await startServer({ ...environment(engine, copy), WEBHOOK_PRIVATE: '127.0.0.1/32' })
    sides[name] = { connection, server }
    await untilQuiet(server)
    const targets = { ...(await pickTargets(connection)), credentials: APP }
    const token = await getToken(server)
    const { install_id: _, ...anywhere } = APP
    const fullToken = await getToken(server, anywhere)
    Object.assign(sides[name], { targets, token, fullToken, call: callerOf(server, token) })
  }
}

export const STORE = 'select id from bench_shop where shop = 1'

/** @returns {{ text: string, isMet: boolean | undefined }} Without a target, it is neither met nor missed. */
const result = (name, value, unit, target, isMet) => ({
  text: `${name}: ${value < 10 ? value.toFixed(2) : value.toFixed(0)}${unit}${target === undefined ? '' : ` (target: ${target}${unit})`}`,
  isMet,
})

export const atMost = (name, value, unit, target) => result(name, value, unit, target, value <= target)

export const atLeast = (name, value, unit, target) => result(name, value, unit, target, value >= target)

export const timed = async (times, work) => {
  const took = []
  for (let n = 0; n < times; n++) {
    const started = performance.now()
    await work(n)
    took.push(performance.now() - started)
  }
  return median(took)
}

/** As in `load.mjs`: no compression for a caller on the same machine. */
export const UNCOMPRESSED = { 'Accept-Encoding': 'identity' }

const callerOf = (server, token) => {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...UNCOMPRESSED }
  return async (method, path, body) => {
    const reply = await fetch(`http://127.0.0.1:${server.port}${api}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${text.slice(0, 300)}`)
    return text
  }
}

/** The quantile of times in milliseconds. */
const quantileOf = (times, q) => times.toSorted((a, b) => a - b)[Math.floor(times.length * q)] ?? Number.NaN

/** Creates customers, 100 a second, and returns when each reply came. */
export const writeSteadily = async (call, name) => {
  const written = new Map()
  const pending = []
  const started = performance.now()
  for (let n = 0; n < 600; n++) {
    pending.push(
      call('POST', '/customer', { email: `${name}-${process.pid}-${n}@example.com` }).then((text) =>
        written.set(JSON.parse(text).data.customer.id, performance.now()),
      ),
    )
    await sleep(Math.max(0, started + 10 * (n + 1) - performance.now()))
  }
  await Promise.all(pending)
  return written
}

export const waitsOf = (written, arrived) =>
  [...written].map(([id, at]) => (arrived.get(id) ?? Number.POSITIVE_INFINITY) - at)

export const latencyResults = (name, waits, target) => [
  result(`${name}, median`, quantileOf(waits, 0.5), ' ms', undefined, undefined),
  atMost(`${name}, p99`, quantileOf(waits, 0.99), ' ms', target),
]
