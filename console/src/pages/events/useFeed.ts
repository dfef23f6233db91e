import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Client } from '../../../../client/src/index.ts'
import type { Query } from '../../../../client/src/request.ts'
import type { Event } from '../../../../client/src/types.ts'

const MAX_SHOWN = 200
const HOUR = 3_600_000
/** A stream catches up with what happened in so short a time. */
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

/**
 * The newest events, and where the stream continues. The feed is read from the oldest on: where there are more than the page
 * shows, it goes on in the middle of the time that is left.
 */
const readFeed = async (client: Client, { types, hours }: Wanted) => {
  const query = queryOf(types)
  let place: Query<'GET /event'> = { from: new Date(Date.now() - hours * HOUR).toISOString() }
  let found: Event[] = []
  for (;;) {
    const { events, next_cursor, more } = await client.events.list({ ...query, ...place })
    found = [...events.toReversed(), ...found]
    place = { cursor: next_cursor }
    const [last] = found
    if (!more) return { events: newest(found), cursor: next_cursor }
    if (found.length < MAX_SHOWN || !last) continue
    const left = Date.now() - Date.parse(last.timestamp)
    if (left < SHORT_MS) return { events: newest(found), cursor: next_cursor }
    place = { from: new Date(Date.now() - left / 2).toISOString() }
    found = []
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
