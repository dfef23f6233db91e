import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Client } from '../../../../client/src/index.ts'
import type { Query } from '../../../../client/src/request.ts'
import type { Event } from '../../../../client/src/types.ts'

const MAX_SHOWN = 200
const HOUR = 3_600_000
/** So many are read without looking for a later start. */
const MAX_PAGES = 10
/** Nearer starts are not told apart. */
const SHORT_MS = 1_000

interface Wanted {
  /** Who reads: part of the key. */
  installation: string
  types: string
  hours: number
}

const newest = (events: readonly Event[]) => events.slice(0, MAX_SHOWN)

const queryOf = (types: string): Query<'GET /event'> => ({
  ...(types && { types: [types as never] }),
  payload: 'thin',
  page_size: MAX_SHOWN,
})

/** The events since then, the newest first, and whether there are more than these pages. */
const readSince = async (client: Client, types: string, from: number, maxPages: number) => {
  let place: Query<'GET /event'> = { from: new Date(from).toISOString() }
  let found: Event[] = []
  for (let pages = 1; ; pages++) {
    const { events, next_cursor: cursor, more } = await client.events.list({ ...queryOf(types), ...place })
    found = newest([...events.toReversed(), ...found])
    if (!more || pages === maxPages) return { events: found, cursor, more }
    place = { cursor }
  }
}

/**
 * The newest events, and where the stream continues. The feed is read from the oldest on: where there are many, a start is
 * looked for from which there are enough, but not too many.
 */
const readFeed = async (client: Client, { types, hours }: Wanted) => {
  const first = Date.now() - hours * HOUR
  let tooEarly = first
  let tooLate = Date.now()
  for (let start = first; ; start = (tooEarly + tooLate) / 2) {
    const found = await readSince(client, types, start, MAX_PAGES)
    if (!found.more && (start === first || found.events.length === MAX_SHOWN)) return found
    if (found.more) tooEarly = start
    else tooLate = start
    if (tooLate - tooEarly < SHORT_MS) return readSince(client, types, tooEarly, Number.POSITIVE_INFINITY)
  }
}

/** The newest events first, and those that happen while the page is open. */
export const useFeed = (client: Client | undefined, wanted: Wanted, isLive: boolean) => {
  const { installation, types, hours } = wanted
  const query = useQuery({
    queryKey: ['feed', installation, types, hours],
    queryFn: () => readFeed(client as Client, wanted),
    enabled: client !== undefined,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const [added, setAdded] = useState<readonly Event[]>([])
  const [fault, setFault] = useState<unknown>()
  const cursor = query.data?.cursor
  useEffect(() => {
    setAdded([])
    setFault(undefined)
    if (!client || !isLive || cursor === undefined) return
    const stop = new AbortController()
    const follow = async () => {
      const { page_size: _, ...query } = queryOf(types)
      for await (const event of client.events.stream({ ...query, cursor }, { signal: stop.signal }))
        setAdded((before) => newest([event, ...before]))
    }
    follow().catch((error) => {
      if (!stop.signal.aborted) setFault(error)
    })
    return () => stop.abort()
  }, [client, isLive, cursor, types])
  return { query, fault, events: newest([...added, ...(query.data?.events ?? [])]) }
}
