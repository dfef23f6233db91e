import type { CallOptions } from './request.ts'
import type { Pagination } from './types.ts'

/** The query of a list without what says where a page begins. */
export type WholeList<Q> = Omit<Q, 'page' | 'cursor'>

/** Every row of a list, page after page. Each page starts right after the last row of the one before. */
export async function* everyRow<Q extends object, K extends string, Row>(
  list: (query: Q, options: CallOptions | undefined) => Promise<{ [key in K]: Row[] } & { pagination: Pagination }>,
  key: K,
  query: WholeList<Q> | undefined,
  options: CallOptions | undefined,
): AsyncGenerator<Row, void, undefined> {
  let cursor: string | null | undefined
  do {
    const page = await list({ page_size: 200, ...query, ...(cursor && { cursor }) } as unknown as Q, options)
    yield* page[key]
    cursor = page.pagination.next_cursor
  } while (cursor)
}
