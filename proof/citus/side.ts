import { setTimeout as sleep } from 'node:timers/promises'
import { learn } from '../history/client.ts'
import { type Reply, send } from '../history/http.ts'
import { createIdentities, createStores, type Identity } from '../history/identities.ts'
import { newWrite } from '../history/new-write.ts'
import { draftWrite } from '../history/operations.ts'
import { createPool } from '../history/pool.ts'
import { stockShelves } from '../history/run.ts'
import type { World } from '../history/world.ts'
import { createRandom } from '../random.ts'
import { createMask } from './mask.ts'

const MAX_TRIES = 30

/** What was sent and answered, without what each service makes up itself. */
export interface Exchange {
  request: string
  status: number
  /** As JSON, or as text where it is none. */
  body: string
}

/**
 * A store of one of the services, and a client that draws the same writes as that of the other: from the same random numbers,
 * over resources that it came to know in the same sequence.
 */
export const openSide = async (world: Pick<World, 'direct' | 'nodes'>, seed: number) => {
  const [store] = (await createStores(world, 1)) as [string]
  const [identity] = (await createIdentities(world, store, 1)) as [Identity]
  const { app, token } = identity
  const base = world.nodes[0]?.base() as string
  const random = createRandom(seed)
  const pool = createPool()
  const mask = createMask()

  const exchange = async (method: string, path: string, body?: object, headers?: Record<string, string>) => {
    const request = mask(`${method} ${path} ${JSON.stringify(body ?? null)}`)
    for (let tried = 1; ; tried++) {
      const reply = await send(base, token, method, path, body, headers)
      // The machine does other things too. What has no key may not be sent twice.
      const isRepeatable = method === 'GET' || headers?.['idempotency-key'] !== undefined
      if (reply.status !== 503 || tried === MAX_TRIES || !isRepeatable)
        return { reply, exchange: { request, status: reply.status, body: mask(reply.text) } as Exchange }
      await sleep(1_000)
    }
  }

  /** A random write; sometimes it is sent again with its key. */
  const write = async (n: number): Promise<Exchange[]> => {
    const draft = draftWrite(`w${seed}x${n}`, random, pool)
    const { kind, method, body, resource, id } = draft
    const isDryRun = random.chance(0.04)
    const key = random.chance(0.5) ? `key-${n}` : undefined
    const isRepeated = key !== undefined && random.chance(0.1)
    const version = id && resource ? pool.versions.get(`${resource}:${id}`) : undefined
    const isConditional = random.chance(0.3)
    const headers = {
      ...(key && { 'idempotency-key': key }),
      ...(version && isConditional && { 'if-match': version.etag }),
    }
    const path = isDryRun ? `${draft.path}${draft.path.includes('?') ? '&' : '?'}dry_run=true` : draft.path
    const sent = await exchange(method, path, body, headers)
    const { reply } = sent
    if (reply.status < 300 && !isDryRun) {
      const data = reply.body?.data ?? {}
      const shown = draft.shown ? data[draft.shown] : data
      const made = newWrite({ n, app, kind, method, path, body, resource, id: id ?? shown?.id })
      made.etag = reply.headers.etag
      learn({ pool }, made, shown)
    }
    return isRepeated ? [sent.exchange, (await exchange(method, path, body, headers)).exchange] : [sent.exchange]
  }

  const read = async (path: string): Promise<{ reply: Reply; exchange: Exchange }> => exchange('GET', path)

  /** Something that was written lately. */
  const readOne = async (): Promise<Exchange> => {
    const known = [
      ...pool.orders.slice(-12).map(({ id }) => `/order/${id}`),
      ...pool.customers.slice(-6).map((id) => `/customer/${id}`),
      ...pool.products.slice(0, 12).map(({ id }) => `/product/${id}`),
    ]
    return (await read(random.pick(known))).exchange
  }

  let cursor = ''
  let events = 0
  /** The events since the last call, sorted: those of one write have no sequence. */
  const news = async (): Promise<Exchange> => {
    const seen: string[] = []
    for (let more = true; more; ) {
      const { reply } = await read(`/event?page_size=200${cursor && `&cursor=${cursor}`}`)
      const { data } = reply.body
      for (const { id: _id, position: _position, ...event } of data.events) seen.push(mask(JSON.stringify(event)))
      cursor = data.next_cursor
      more = data.more
    }
    events += seen.length
    return { request: 'the next events', status: 200, body: `{"events":[${seen.sort()}]}` }
  }

  await stockShelves(base, identity, { history: { writes: [] }, pool })
  return { write, read, readOne, news, events: () => events }
}

export type Side = Awaited<ReturnType<typeof openSide>>
