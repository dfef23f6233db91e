import { send } from '../history/http.ts'
import { createIdentities, createStores, type Identity, withDatabase } from '../history/identities.ts'
import { restoreCopy } from '../history/restored-copy.ts'
import { type ProofNode, startWorld, type World } from '../history/world.ts'
import { createRandom } from '../random.ts'
import type { Anomaly } from '../record.ts'
import { compareSignals } from './compare.ts'
import { type Call, type Shelf, step } from './steps.ts'

const CLIENTS = 8
/** Between two comparisons, with everybody at rest. */
const STRETCH = 1_000

/** Without an answer, a write may have happened or not: the recount counts what is there. */
const NO_ANSWER = { status: 0, body: undefined }

export const callerOf =
  (nodes: readonly ProofNode[], { token }: Identity, pick: () => number): Call =>
  (method, path, body) =>
    send(nodes[pick() % nodes.length]?.base() ?? '', token, method, path, body).catch(() => NO_ANSWER)

/** Asks until there is an answer: for reads. */
export const readerOf =
  (node: ProofNode, identity: Identity): Call =>
  async (...request) => {
    const call = callerOf([node], identity, () => 0)
    for (let attempt = 0; attempt < 20; attempt++) {
      const reply = await call(...request)
      if (reply.status === 200) return reply
    }
    throw new Error(`${request.join(' ')} is not answered.`)
  }

export const stock = async (call: Call): Promise<string[]> => {
  const variants: string[] = []
  for (const [title, is_digital] of [
    ['Mug', false],
    ['Hat', false],
    ['Book', true],
  ] as const) {
    const { body } = await call('POST', '/product', {
      title,
      is_digital,
      default: { price: 12.5, quantity: 1_000_000 },
    })
    variants.push(body.data.product.default.id)
  }
  return variants
}

/** Rows of `phone_count` that no order explains. */
const emptyCounts = async (world: World): Promise<Anomaly[]> =>
  withDatabase(world, async (db) => {
    const { rows } = await db.query(
      `select phone from phone_count c where placed <= 0 or least(delivered, returned, open) < 0 or not exists (
        select 1 from orders o where o.store_id = c.store_id and o.phone_e164 = c.phone)`,
    )
    return rows.map(({ phone }) => ({ name: 'a phone number without orders is counted', detail: phone as string }))
  })

/** Recounts the same store from a backup. */
const recountRestored = async (world: World, store: string): Promise<Anomaly[]> => {
  const copy = await restoreCopy(world)
  const [identity] = await createIdentities(copy, store, 1)
  return compareSignals(readerOf(copy.nodes[0] as ProofNode, identity as Identity), 'after a restore')
}

export interface SignalRun {
  steps: number
  seed: number
  nodes: number
}

export interface SignalsResult extends SignalRun {
  refused: number
  /** Comparisons of all signals that a node shows with a recount. */
  recounts: number
  isRestored: boolean
  seconds: number
  anomalies: Anomaly[]
}

/** Runs a random history of orders by several clients on all nodes, and recounts their signals again and again. */
export const runSignals = async ({ steps, seed, nodes }: SignalRun): Promise<SignalsResult> => {
  const started = performance.now()
  const world = await startWorld({ nodes, diskMegabytes: 4_000 })
  const [store] = await createStores(world, 1)
  const identities = await createIdentities(world, store as string, CLIENTS)
  const random = createRandom(seed)
  const anomalies: Anomaly[] = []
  const callers = identities.map((identity) => {
    const own = random.fork()
    const call = callerOf(world.nodes, identity, () => own.below(nodes))
    const noting: Call = async (...request) => {
      const reply = await call(...request)
      const [method, path] = request
      if (reply.status >= 500)
        anomalies.push({
          name: 'server error',
          detail: `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`,
        })
      return reply
    }
    return { own, call: noting }
  })
  const [first] = callers as [(typeof callers)[number]]
  const shelf: Shelf = { variants: await stock(first.call), orders: [] }
  const counts = { steps: 0, refused: 0, recounts: 0 }
  const work = async ({ own, call }: (typeof callers)[number], until: number) => {
    while (counts.steps < until) {
      counts.steps++
      const { status } = await step(own, call, shelf)
      if (status >= 400) counts.refused++
    }
  }
  for (let until = Math.min(STRETCH, steps); ; until = Math.min(until + STRETCH, steps)) {
    await Promise.all(callers.map((caller) => work(caller, until)))
    for (const [n, node] of world.nodes.entries()) {
      const call = readerOf(node, identities[0] as Identity)
      anomalies.push(...(await compareSignals(call, `step ${until}, node ${n + 1}`)))
      counts.recounts++
    }
    anomalies.push(...(await emptyCounts(world)))
    if (until === steps || anomalies.length > 0) break
  }
  const isRestored = anomalies.length === 0
  if (isRestored) anomalies.push(...(await recountRestored(world, store as string)))
  for (const node of world.nodes) {
    if (anomalies.length > 0) console.log(node.output().slice(-4_000))
    await node.stop()
  }
  return { ...counts, seed, nodes, isRestored, anomalies, seconds: (performance.now() - started) / 1000 }
}
