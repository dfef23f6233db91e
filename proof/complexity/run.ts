import { fileURLToPath } from 'node:url'
import { freePort } from '../../tests/support/free-port.ts'
import { createIdentities, createStores, type Identity } from '../history/identities.ts'
import { createNode, type ProofNode, startWorld, workedBy } from '../history/world.ts'
import { createRandom } from '../random.ts'
import type { Anomaly, Json } from '../record.ts'
import { jsonValues, texts } from './patterns.ts'
import { type Place, placesOf } from './places.ts'

const PROBE = fileURLToPath(new URL('../../tests/support/event-loop-probe.mjs', import.meta.url))
/** Of a value in a body; what is quadratic takes minutes with that. */
const BODY_BYTES = 128_000
/** As much as a body may have, with room for its other fields. The slowest pattern of each field is tried with that. */
const LARGEST_BYTES = 3_900_000
const QUERY_BYTES = 6_000
/** Of whoever has no token. */
const ANONYMOUS_BYTES = 16_000
/** Below that, how the time grows cannot be told. */
const MIN_MS = 15
/** Four times as much may take this many times as long. */
const MAX_RATIO = 6.5
const MAX_TURN_MS = 50
const TRIES = 4
const PATIENCE_MS = 30_000

export interface ComplexityResult {
  places: number
  requests: number
  /** The longest time in which nobody else was served, in milliseconds. */
  longestMs: number
  anomalies: Anomaly[]
}

interface Shape {
  pattern: string
  /** The value of about so many bytes. */
  value: (bytes: number) => string
  bytes: number
}

const shapesOf = ({ query }: Place): Shape[] =>
  query === undefined
    ? Object.keys(jsonValues(8)).map((pattern) => ({
        pattern,
        value: (bytes) => jsonValues(bytes)[pattern] as string,
        bytes: BODY_BYTES,
      }))
    : Object.keys(texts(8)).map((pattern) => ({
        pattern,
        // What is encoded takes up to six times the room.
        value: (bytes) => encodeURIComponent(texts(bytes / 6)[pattern] as string),
        bytes: QUERY_BYTES,
      }))

const requestOf = ({ method, path, query, body }: Place, value: string) => ({
  method,
  path: query === undefined ? path : `${path}?${query}=${value}`,
  body: query === undefined ? body?.(value) : method === 'GET' || method === 'DELETE' ? undefined : '{}',
})

const startProbed = async (settings: Record<string, string>) => {
  const port = await freePort()
  const node = await createNode('probed', { ...settings, NODE_OPTIONS: `--import ${PROBE}`, PROBE_PORT: String(port) })
  const probe = async () => Number(await (await fetch(`http://127.0.0.1:${port}`)).text())
  return { node, probe }
}

const send = (node: ProofNode, token: string, { method, path, body }: ReturnType<typeof requestOf>) =>
  fetch(node.base() + path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  })

/**
 * Sends the worst repeated patterns in every field of every operation, with and without a token, and says where the time
 * grows faster than the input, or where nobody else is served for too long. A share below 1 takes some places at random.
 */
export const runComplexity = async ({ share, seed }: { share: number; seed: number }): Promise<ComplexityResult> => {
  const world = await startWorld({ nodes: 0 })
  const { node, probe } = await startProbed(world.settings)
  const [store] = await createStores(world, 1)
  const [{ token }] = (await createIdentities({ ...world, nodes: [node] }, store as string, 1)) as [Identity]
  const origin = new URL(node.base()).origin
  const document = (await (await fetch(`${origin}/openapi.json`)).json()) as Json
  const random = createRandom(seed)
  const places = placesOf(document).filter(() => random.chance(share))
  const anomalies: Anomaly[] = []
  let requests = 0
  let longestMs = 0

  const measure = async (request: ReturnType<typeof requestOf>, as: string, name: string) => {
    await probe()
    const before = workedBy(node)
    const reply = await send(node, as, request).catch(() => undefined)
    await reply?.arrayBuffer().catch(() => undefined)
    const ms = workedBy(node) - before
    const turn = await probe()
    requests++
    if (!reply || reply.status >= 500)
      anomalies.push({ name: 'server error', detail: `${name}: ${reply?.status ?? 'no answer'}` })
    return { ms, turn }
  }
  /** The least of several tries: garbage of earlier requests is not this one's fault. */
  const least = async (place: Place, { value }: Shape, bytes: number, as: string, name: string) => {
    let [ms, turn] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let n = 0; n < TRIES; n++) {
      const found = await measure(requestOf(place, value(bytes)), as, name)
      ms = Math.min(ms, found.ms)
      turn = Math.min(turn, found.turn)
      if (n === 0 && ms < MIN_MS && turn < MAX_TURN_MS) break
    }
    return { ms, turn }
  }
  const tryOut = async (place: Place, shape: Shape, as: string) => {
    const bytes = as ? shape.bytes : Math.min(shape.bytes, ANONYMOUS_BYTES)
    const name = `${place.name}, ${shape.pattern}, ${bytes} bytes${as ? '' : ', without a token'}`
    const most = await least(place, shape, bytes, as, name)
    const { ms } = most
    longestMs = Math.max(longestMs, most.turn)
    if (most.turn > MAX_TURN_MS)
      anomalies.push({ name: 'nobody else is served', detail: `${name}: ${most.turn.toFixed(0)} ms` })
    if (ms < MIN_MS) return ms
    const [quarter, half] = [
      await least(place, shape, bytes / 4, as, name),
      await least(place, shape, bytes / 2, as, name),
    ]
    if (ms > MAX_RATIO * Math.max(1, quarter.ms))
      anomalies.push({
        name: 'the time grows faster than the input',
        detail: `${name}: ${[quarter, half, most].map(({ ms }) => ms.toFixed(1)).join(', ')} ms`,
      })
    return ms
  }
  for (const place of places) {
    const tried: { shape: Shape; ms: number }[] = []
    for (const shape of shapesOf(place)) {
      tried.push({ shape, ms: await tryOut(place, shape, token) })
      await tryOut(place, shape, '')
    }
    const slowest = tried.reduce((slow, next) => (next.ms > slow.ms ? next : slow))
    if (place.query === undefined) await tryOut(place, { ...slowest.shape, bytes: LARGEST_BYTES }, token)
  }
  await node.stop()
  return { places: places.length, requests, longestMs, anomalies }
}
