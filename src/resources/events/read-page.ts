import type { FastifyRequest } from 'fastify'
import { earliest, latest } from '../../core/input/date-bounds.ts'
import type { Db } from '../../core/storage/database.ts'
import { currentCursor, type EventFilter } from './feed.ts'
import { type Cursor, decodeCursor } from './feed-cursor.ts'
import { type EventPage, readEvents } from './read-events.ts'
import { renderEvents } from './render.ts'
import type { EventQuery } from './schema.ts'

export const permissionsOf = ({ caller }: FastifyRequest): ReadonlySet<string> =>
  caller.installation?.permissions ?? new Set()

/** What the caller asks for and may see at this moment. */
export const filterOf = (request: FastifyRequest, query: Partial<EventQuery>): EventFilter => ({
  ...request.server.eventKinds.visibleTypes(query.types, permissionsOf(request)),
  changed: query.changed,
  resource_id: query.resource_id,
  via: query.via,
  account_id: query.account_id,
  without_app: query.ignore_self ? request.caller.app.id : undefined,
  from: earliest(query.from),
  to: latest(query.to),
  installation: request.caller.installation?.id,
})

/** Where a request starts to read; undefined for the oldest event that is kept. Refuses types that must not be seen. */
export const startOf = async (
  db: Db,
  request: FastifyRequest,
  { cursor, types }: Pick<EventQuery, 'cursor' | 'types'>,
): Promise<Cursor | undefined> => {
  if (types) request.server.eventKinds.checkTypes(types, permissionsOf(request))
  if (cursor === undefined) return undefined
  return cursor === 'now' ? currentCursor(db, request.store) : decodeCursor(cursor)
}

export interface RenderedPage extends EventPage {
  /** Of `events`, as JSON. */
  texts: string[]
  /** It ends earlier because its events are large. */
  isCut: boolean
}

/** A page as the caller sees it. It ends earlier when its events are large. */
export const readPage = async (
  db: Db,
  request: FastifyRequest,
  cursor: Cursor | undefined,
  query: EventQuery,
  { isChanged, maxBytes }: { isChanged?: boolean; maxBytes?: number } = {},
): Promise<RenderedPage> => {
  const { store, texts: reader } = request
  const { payload } = query
  const page = await readEvents(db, store, cursor, filterOf(request, query), query.page_size, {
    isChanged,
    reader: payload === 'full' ? reader : undefined,
  })
  const texts = await renderEvents(db, reader, store, page.feed, page.events, { payload, maxBytes, data: page.data })
  const last = page.events[texts.length - 1]
  if (texts.length === page.events.length || !last) return { ...page, texts, isCut: false }
  const next = { feed: page.feed, position: last.position, n: last.n }
  return { ...page, texts, events: page.events.slice(0, texts.length), next, more: true, isCut: true }
}
