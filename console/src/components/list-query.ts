import { queryOptions } from '@tanstack/react-query'
import type { Client } from '../api/store.tsx'

interface ListQuery {
  page_size: number
  cursor?: string
  [filter: string]: unknown
}

interface ListAnswer<Row> {
  rows: Row[]
  pagination: { total: number | null; next_cursor: string | null }
  /** What was asked for in place of the search, which found nothing. */
  foundBy?: Readonly<Record<string, string>>
}

/** Where the rows of a list come from. */
export interface ListSource<Row> {
  /** Names the list in saved views and in the cache: `orders`. */
  list: string
  /** Parameters of the API that the URL may contain in addition to search, sort and page. */
  parameters: readonly string[]
  /** Those whose matches take long to count in a large store. */
  slow?: readonly string[]
  load: (client: Client, query: ListQuery, signal: AbortSignal) => Promise<ListAnswer<Row>>
}

const PAGE_SIZE = 50

/** The API query for the parameters in the URL. */
export const apiQuery = (params: URLSearchParams, names: readonly string[]) =>
  Object.fromEntries(names.flatMap((name) => (params.get(name) ? [[name, params.get(name) as string]] : [])))

const isCountedLater = ({ slow = [] }: { slow?: readonly string[] }, params: URLSearchParams) =>
  ['search', ...slow].some((name) => params.has(name))

/** The page of the list that the URL asks for. */
export const listQuery = <Row>(
  { list, parameters, load, ...source }: ListSource<Row>,
  store: string,
  client: Client,
  params: URLSearchParams,
) => {
  const query: ListQuery = {
    page_size: PAGE_SIZE,
    ...apiQuery(params, [...parameters, 'search', 'order_by', 'order_direction', 'cursor']),
    // While somebody types, rows do not wait for the matches of half a word to be counted.
    ...(isCountedLater(source, params) && { total: false }),
  }
  return queryOptions({
    queryKey: [store, list, query],
    queryFn: ({ signal }) => load(client, query, signal),
  })
}

/** The number of rows, where `listQuery` does not count them. */
export const totalQuery = <Row>(
  { list, parameters, load, ...source }: ListSource<Row>,
  store: string,
  client: Client,
  params: URLSearchParams,
) => {
  const query: ListQuery = { page_size: 1, ...apiQuery(params, [...parameters, 'search']) }
  return queryOptions({
    queryKey: [store, list, 'total', query],
    queryFn: async ({ signal }) => (await load(client, query, signal)).pagination.total,
    enabled: isCountedLater(source, params),
  })
}

/** What is known exactly, as it was typed or in capitals, as most SKUs are. */
export const spellingsOf = (text: string) => [...new Set([text.trim(), text.trim().toUpperCase()])]

/** What a search does not look through, such as a SKU, is asked for exactly if the search finds nothing. */
export const orExactly =
  <Row>(parameter: string, load: ListSource<Row>['load']): ListSource<Row>['load'] =>
  async (client, query, signal) => {
    const found = await load(client, query, signal)
    const { search, ...others } = query
    if (found.rows.length > 0 || typeof search !== 'string' || parameter in query) return found
    for (const text of spellingsOf(search)) {
      const foundBy = { [parameter]: text }
      const instead = await load(client, { ...others, ...foundBy }, signal)
      if (instead.rows.length > 0) return { ...instead, foundBy }
    }
    return found
  }
