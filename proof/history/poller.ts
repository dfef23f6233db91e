import { send } from './http.ts'

/** Polls the customers for what has changed, as the guide says. `seen` has the address of each as it was seen last. */
export const createPoller = (token: string) => {
  const seen: Record<string, string> = {}
  let from = '2020-01-01T00:00:00.000Z'
  /** Returns whether there was an answer. */
  const poll = async (base: string): Promise<boolean> => {
    let until = ''
    for (let cursor = ''; ; ) {
      const path = `/customer?page_size=200&updated_from=${encodeURIComponent(from)}${cursor && `&cursor=${cursor}`}`
      const reply = await send(base, token, 'GET', path).catch(() => undefined)
      if (reply?.status !== 200) return false
      const { customers, pagination } = reply.body.data
      for (const { id, address } of customers) seen[id] = address
      until ||= pagination.updated_until
      cursor = pagination.next_cursor
      if (!cursor) break
    }
    from = until
    return true
  }
  /** `until` is the time up to which everything was seen. */
  return { seen, poll, until: () => from }
}
