import { queryOptions } from '@tanstack/react-query'
import type { Client } from '../api/store.tsx'

interface ListQuery {
  page_size: number
  cursor?: string
  [filter: string]: unknown
}

interface ListAnswer<Row> {
  rows: Row[]
  pagination: { total: number; next_cursor: string | null }
}

/** Where the rows of a list come from. */
export interface ListSource<Row> {
  /** Names the list in saved views and in the cache: `orders`. */
  list: string
  /** Parameters of the API that the URL may contain in addition to search, sort and page. */
  parameters: readonly string[]
  load: (client: Client, query: ListQuery, signal: AbortSignal) => Promise<ListAnswer<Row>>
}

const PAGE_SIZE = 50

/** The API query for the parameters in the URL. */
export const apiQuery = (params: URLSearchParams, names: readonly string[]) =>
  Object.fromEntries(names.flatMap((name) => (params.get(name) ? [[name, params.get(name) as string]] : [])))

/** The page of the list that the URL asks for. */
export const listQuery = <Row>(
  { list, parameters, load }: ListSource<Row>,
  store: string,
  client: Client,
  params: URLSearchParams,
) => {
  const query: ListQuery = {
    page_size: PAGE_SIZE,
    ...apiQuery(params, [...parameters, 'search', 'order_by', 'order_direction', 'cursor']),
  }
  return queryOptions({
    queryKey: [store, list, query],
    queryFn: ({ signal }) => load(client, query, signal),
  })
}
