import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { ClusterClient } from './hosts.ts'

const NAME = 'storefront listener'
const ANSWERS = 'listener_answers'
const QUESTION = 'heard? '
const TIMEOUT_MS = 2_000

/** Allows two pings within the second for which access-cache.ts trusts its entries without confirmation. */
const PING_EVERY_MS = 400
/** A connection that has not answered a ping for this long is replaced. */
const MAX_SILENCE_MS = 2_000
const RECONNECT_MS = 500

export interface Listener {
  close(): Promise<void>
}

interface Handlers {
  onNotice: (channel: string, payload: string) => void
  /** Called after each (re)connection: earlier notifications may have been missed. */
  onGap: () => void
  /** All notifications up to this time have arrived. Not called while the connection is lost or hangs. */
  onHeard: (until: number) => void
}

/**
 * Listens on these channels over a connection of its own, and reconnects when it is lost. Notifications arrive before
 * the reply to a later query, so a ping confirms that none has been missed. It also detects a half-open connection,
 * which reports no error.
 */
export const listen = (connection: pg.ClientConfig, channels: readonly string[], handlers: Handlers): Listener => {
  let client: pg.Client | undefined
  let closed = false
  let timer: NodeJS.Timeout | undefined

  const lost = (which: pg.Client) => {
    if (which !== client) return
    clearTimeout(timer)
    client = undefined
    if (!closed) timer = setTimeout(connect, RECONNECT_MS)
  }

  const abandon = (which: pg.Client) => {
    which.connection.stream.destroy()
    lost(which)
  }

  const ping = async (which: pg.Client) => {
    const sent = performance.now()
    try {
      await which.query('select')
    } catch {
      return abandon(which)
    }
    if (which !== client || closed) return
    handlers.onHeard(sent)
    timer = setTimeout(() => ping(which), PING_EVERY_MS)
  }

  const connect = async () => {
    const next = new ClusterClient({
      ...connection,
      application_name: NAME,
      connectionTimeoutMillis: MAX_SILENCE_MS,
      query_timeout: MAX_SILENCE_MS,
      keepAlive: true,
    })
    client = next
    next.on('notification', ({ channel, payload = '' }) => {
      if (payload.startsWith(QUESTION)) answer(next, payload)
      else handlers.onNotice(channel, payload)
    })
    next.on('error', () => lost(next))
    next.on('end', () => lost(next))
    try {
      await next.connect()
      await next.query(channels.map((channel) => `listen ${channel}`).join('; '))
      handlers.onGap()
      void ping(next)
    } catch {
      abandon(next)
    }
  }

  const ready = connect()
  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      await ready
      const last = client
      if (!last) return
      const late = setTimeout(() => last.connection.stream.destroy(), MAX_SILENCE_MS)
      await last.end().catch(() => {})
      clearTimeout(late)
    },
  }
}

const answer = (client: pg.Client, question: string) =>
  client.query('select pg_notify($1, $2)', [ANSWERS, question]).catch(() => {})

/**
 * Waits until every listener has received all earlier notifications on the channel. Notifications arrive in commit
 * order, so a listener that answers a question has received everything before it. The client listens from then on.
 */
export const askListeners = async (client: pg.ClientBase, channel: string): Promise<void> => {
  const question = QUESTION + randomUUID()
  let answers = 0
  client.on('notification', ({ payload }) => {
    if (payload === question) answers++
  })
  await client.query(`listen ${ANSWERS}`)
  const { rows } = await client.query<{ listeners: number }>(
    `select count(*)::int as listeners from pg_stat_activity
     where datname = current_database() and application_name = $1`,
    [NAME],
  )
  const listeners = rows[0]?.listeners ?? 0
  await client.query('select pg_notify($1, $2)', [channel, question])
  // A listener that disconnects now starts over with an empty cache, so the wait may time out.
  const deadline = Date.now() + TIMEOUT_MS
  while (answers < listeners && Date.now() < deadline) await sleep(5)
}

/** The same over a connection of its own. */
export const waitForListeners = async (connection: pg.ClientConfig, channel: string): Promise<void> => {
  const client = new ClusterClient(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    await askListeners(client, channel)
  } finally {
    await client.end()
  }
}
