import { setTimeout as sleep } from 'node:timers/promises'
import { variantsOf } from '../checker/states.ts'
import type { Random } from '../random.ts'
import type { History, Json, Read, Write } from '../record.ts'
import { type Reply, send } from './http.ts'
import type { Identity } from './identities.ts'
import { newWrite } from './new-write.ts'
import { type Draft, draftWrite, PLAIN } from './operations.ts'
import { knownOrder, type Pool, recent } from './pool.ts'
import type { World } from './world.ts'

export interface Run {
  world: World
  history: History
  pool: Pool
  /** Hands out an app that has made no write. */
  nextIdentity: () => Promise<Identity>
  /** Takes one of the operations to do; false when none is left. */
  take: () => boolean
  /** How many operations were taken. */
  taken: () => number
}

/** Waits until the clients have begun so many operations, so that probes and faults do not take all the time of a busy machine. */
export const rest = async (run: Run, operations: number, isOver: () => boolean) => {
  const until = run.taken() + operations
  do await sleep(50)
  while (!isOver() && run.taken() < until)
}

const MAX_RETRIES = 60
const isUnknown = (status: number) => status >= 500

const baseOf = ({ world }: Run, random: Random) => {
  const up = world.nodes.filter((node) => node.isUp())
  return random.pick(up.length > 0 ? up : world.nodes).base()
}

const complain = ({ history }: Run, name: string, detail: string) => history.complaints.push({ name, detail })

/** Remembers what later writes may be about. */
export const learn = ({ pool }: Pick<Run, 'pool'>, write: Write, shown: Json) => {
  const { kind, resource, id } = write
  if (write.etag && resource && write.id)
    pool.versions.set(`${resource}:${write.id}`, { etag: write.etag, from: write.n })
  if (kind === 'createCustomer') pool.customers.push(shown.id)
  if (kind === 'createProduct')
    pool.products.push({ id: shown.id, variants: variantsOf(shown).map((variant) => variant.id) })
  if (kind === 'createOrder') pool.orders.push(knownOrder(shown))
  if (kind === 'createPlain' && resource) pool.plain[resource] = [...(pool.plain[resource] ?? []), shown.id]
  const order = pool.orders.find((known) => known.id === id)
  if (order && kind === 'splitDelivery') order.deliveries.push(shown.id)
  if (order && kind === 'returnOrder' && shown.delivery) order.deliveries.push(shown.delivery.id)
  if (order && kind === 'refundOrder') order.refunds.push(shown.id)
  if (kind === 'deleteOrder') pool.orders = pool.orders.filter((known) => known.id !== id)
  if (kind === 'deleteProduct') pool.products = pool.products.filter((known) => known.id !== id)
  if (kind === 'deletePlain' && resource)
    pool.plain[resource] = (pool.plain[resource] ?? []).filter((known) => known !== id)
}

const settle = (run: Run, write: Write, draft: Draft, reply: Reply, wasUnknown: boolean) => {
  write.status = reply.status
  write.code = reply.body?.code
  write.end = performance.now()
  if (reply.status >= 300) {
    // An earlier attempt may still be on its way, and be done later.
    write.outcome = wasUnknown ? 'unknown' : 'refused'
    if (wasUnknown) write.end = Number.POSITIVE_INFINITY
    return
  }
  write.outcome = 'ok'
  write.etag = reply.headers.etag
  const data = reply.body?.data ?? {}
  const shown = draft.shown ? data[draft.shown] : data
  write.reply = shown
  if (!write.isDryRun) {
    write.id ??= shown?.id
    learn(run, write, shown)
  }
}

/** The key of a write that was done, for another request: it must be refused. */
const reuseKey = async (run: Run, { token }: Identity, { key, isDryRun }: Write, random: Random) => {
  if (!key || isDryRun) return
  const body = { email: `${key}@reused.example` }
  const reply = await send(baseOf(run, random), token, 'POST', '/customer', body, { 'idempotency-key': key }).catch(
    () => undefined,
  )
  if (reply && reply.status < 300) complain(run, 'a key was taken for another request', `${key}: ${reply.status}`)
}

/** Sends a write until its outcome is known, or leaves it unknown. Returns whether the app may go on. */
const carryOut = async (run: Run, identity: Identity, draft: Draft, write: Write, random: Random): Promise<boolean> => {
  const separator = draft.path.includes('?') ? '&' : '?'
  const path = write.isDryRun ? `${draft.path}${separator}dry_run=true` : draft.path
  const headers = {
    ...(write.key && { 'idempotency-key': write.key }),
    ...(write.ifMatch && { 'if-match': write.ifMatch.etag }),
  }
  const insists = write.key !== undefined && (draft.mustBeAnswered || random.chance(0.8))
  const once = async (): Promise<Reply | undefined> => {
    const reply = await send(baseOf(run, random), identity.token, draft.method, path, draft.body, headers).catch(
      () => undefined,
    )
    if (reply && write.key) write.attempts.push({ status: reply.status, text: reply.text })
    if (reply && reply.status >= 500 && reply.status !== 503)
      complain(run, 'server error', `${draft.method} ${path}: ${reply.status} ${reply.text.slice(0, 300)}`)
    return reply
  }
  let wasUnknown = false
  for (let attempt = 0; attempt < MAX_RETRIES; attempt++) {
    const replies = write.isDoubled && attempt === 0 ? await Promise.all([once(), once()]) : [await once()]
    const done = replies.find((reply) => reply && reply.status < 300)
    const definite = done ?? replies.find((reply) => reply && !isUnknown(reply.status) && reply.status !== 409)
    const isWaiting = replies.some((reply) => !reply || isUnknown(reply.status) || reply.status === 409)
    if (definite && (done || !isWaiting)) {
      settle(run, write, draft, definite, wasUnknown)
      return write.outcome !== 'unknown'
    }
    wasUnknown ||= replies.some((reply) => !reply || isUnknown(reply.status))
    if (!insists && attempt === 0 && !replies.some((reply) => reply?.status === 409)) return false
    await sleep(100 + random.below(200))
  }
  return false
}

const writeOnce = async (run: Run, identity: Identity, random: Random): Promise<boolean> => {
  const { history, pool } = run
  const n = history.writes.length
  const draft = draftWrite(`w${history.seed}x${n}`, random, pool)
  const { kind, method, path, body, resource, id } = draft
  const write = newWrite({ n, app: identity.app, kind, method, path, body, resource, id })
  history.writes.push(write)
  if (draft.mustBeAnswered || random.chance(0.75)) write.key = `key-${history.seed}-${n}`
  write.isDryRun = random.chance(0.04)
  write.isDoubled = write.key !== undefined && !write.isDryRun && random.chance(0.08)
  const version = draft.id && draft.resource ? pool.versions.get(`${draft.resource}:${draft.id}`) : undefined
  if (version && random.chance(0.3)) write.ifMatch = version
  const goesOn = await carryOut(run, identity, draft, write, random)
  if (write.outcome === 'ok' && random.chance(0.04)) await reuseKey(run, identity, write, random)
  return goesOn
}

const LISTS: Record<string, { path: string; shown: string }> = {
  order: { path: '/order', shown: 'orders' },
  customer: { path: '/customer', shown: 'customers' },
  product: { path: '/product', shown: 'products' },
}

/** The path and the key in the reply of a single resource. */
const SINGLES: Record<string, { path: string; shown: string }> = {
  order: { path: '/order', shown: 'order' },
  customer: { path: '/customer', shown: 'customer' },
  product: { path: '/product', shown: 'product' },
  ...PLAIN,
}

const sendGet = (base: string, token: string, path: string) => send(base, token, 'GET', path)

/** Reads one resource, as `GET` shows it. */
export const readSingle = async (base: string, token: string, kind: string, id: string, get = sendGet) => {
  const { path, shown } = SINGLES[kind] as { path: string; shown: string }
  const reply = await get(base, token, `${path}/${id}`)
  return { status: reply.status, body: reply.body?.data?.[shown], reply }
}

const idsOf = (pool: Pool): Record<string, readonly string[]> => ({
  order: recent(pool.orders).map(({ id }) => id),
  customer: recent(pool.customers),
  product: pool.products.slice(0, 12).map(({ id }) => id),
  ...Object.fromEntries(Object.entries(pool.plain).map(([kind, ids]) => [kind, recent(ids)])),
})

const read = async (run: Run, { token }: Identity, random: Random) => {
  const { history, pool } = run
  const start = performance.now()
  const note = (entry: Omit<Read, 'start' | 'end'>) => history.reads.push({ ...entry, start, end: performance.now() })
  try {
    if (random.chance(0.3)) {
      const kind = random.pick(Object.keys(LISTS))
      const { path, shown } = LISTS[kind] as { path: string; shown: string }
      const size = random.pick([5, 20, 200])
      const reply = await send(baseOf(run, random), token, 'GET', `${path}?page_size=${size}`)
      if (reply.status !== 200) return
      const { pagination, [shown]: body } = reply.body.data
      const isWhole = pagination.total <= size
      note({ path, kind, id: undefined, status: 200, body, total: pagination.total, isWhole })
      return
    }
    const known = Object.entries(idsOf(pool)).filter(([, ids]) => ids.length > 0)
    const [kind, ids] = random.pick(known)
    const id = random.pick(ids)
    const { status, body } = await readSingle(baseOf(run, random), token, kind, id)
    if (status !== 200 && status !== 404) return
    note({ path: `${kind}/${id}`, kind, id, status, body, total: undefined, isWhole: false })
  } catch {
    // No answer: nothing was seen.
  }
}

/** A client that reads and writes until nothing is left to do. */
export const work = async (run: Run, random: Random) => {
  let identity = await run.nextIdentity()
  while (run.take()) {
    if (random.chance(0.35)) await read(run, identity, random)
    // After a write that may still happen, its app makes no other: events could not be told apart.
    else if (!(await writeOnce(run, identity, random))) identity = await run.nextIdentity()
  }
}
