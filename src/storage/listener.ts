import pg from 'pg'

export interface Listener {
  close(): Promise<void>
}

/**
 * Hears `NOTIFY channel` over a connection of its own and comes back by itself when it is lost. `onGap` is called
 * after each (re)connection: whatever was announced before it has been missed. Between `onLoss` and the next `onGap`
 * nothing is heard.
 */
export const listen = (
  connection: pg.ClientConfig,
  channel: string,
  handlers: { onNotice: (payload: string) => void; onGap: () => void; onLoss: () => void },
): Listener => {
  let client: pg.Client | undefined
  let closed = false
  let timer: NodeJS.Timeout | undefined

  const lost = (which: pg.Client) => {
    if (which !== client) return
    handlers.onLoss()
    client = undefined
    if (!closed) timer = setTimeout(connect, 500)
  }

  const connect = async () => {
    const next = new pg.Client({
      ...connection,
      application_name: 'storefront listener',
      connectionTimeoutMillis: 2_000,
      keepAlive: true,
    })
    client = next
    next.on('notification', ({ payload }) => handlers.onNotice(payload ?? ''))
    next.on('error', () => lost(next))
    next.on('end', () => lost(next))
    try {
      await next.connect()
      await next.query(`listen ${channel}`)
      handlers.onGap()
    } catch {
      lost(next)
    }
  }

  const ready = connect()
  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      await ready
      await client?.end().catch(() => {})
    },
  }
}
