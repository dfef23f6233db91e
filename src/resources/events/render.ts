import { type Fields, type JsonText, NULL, object, quoted, value } from '../../core/reading/json-text.ts'
import type { Reader } from '../../core/reading/reader.ts'
import type { Db } from '../../core/storage/database.ts'
import { ResultTooLargeError } from '../../core/storage/result-limit.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { eventId } from './feed-cursor.ts'
import { showsResource } from './kinds.ts'
import type { StoredEvent } from './read-events.ts'
import { dataKey, RESOURCES_PER_READ, type ReadData, readData } from './resource-data.ts'
import type { Event, Named } from './schema.ts'

export type Payload = 'full' | 'thin'

/** Maximum size of a page of events, unless a single event is larger. */
const MAX_BYTES = 4 * 2 ** 20

/** Ids, kinds, actions and times contain nothing that JSON escapes. */
const eventText = (
  store: StoreId,
  feed: string,
  event: StoredEvent,
  author: Author,
  asOf: string,
  data: JsonText<object> | undefined,
) => {
  const { kind, action, at, position, resource_id, changed, previous } = event
  const id = quoted(resource_id)
  return object<Event>({
    id: quoted(eventId(feed, position)),
    type: quoted(`${kind}.${action}`),
    timestamp: quoted(at),
    position: value(position),
    store_id: quoted(store),
    resource: object<Event['resource']>({ kind: quoted(kind), id }),
    changed,
    previous,
    app: author.app,
    by: author.by,
    as_of: quoted(asOf),
    data: data ?? object<{ id: string }>({ id }),
  })
}

type Author = Fields<Pick<Event, 'app' | 'by'>>

/** Most events are of the same few apps and people. */
const createAuthorTexts = () => {
  const known = new Map<string, JsonText<Named>>()
  const named = (id: string | null, name: string | null) => {
    if (id === null) return NULL
    const text = known.get(id) ?? object<Named>({ id: value(id), name: value(name) })
    known.set(id, text)
    return text
  }
  return ({ app_id, app_name, account_id, account_name, via }: StoredEvent): Author => {
    const app = named(app_id, app_name)
    return { app, by: object<Event['by']>({ app, account: named(account_id, account_name), via: value(via) }) }
  }
}

export interface RenderOptions {
  payload: Payload
  maxBytes?: number | undefined
  /** Of the first events, if it has been read already. */
  data?: ReadData | undefined
}

/**
 * Events as JSON text, in order. `data` is read now, so that it is never older than the event. Returns at least one, and
 * fewer than given if the reply would become too large.
 */
export const renderEvents = async (
  db: Db,
  reader: Reader,
  store: StoreId,
  feed: string,
  events: readonly StoredEvent[],
  { payload, maxBytes = MAX_BYTES, data: known }: RenderOptions,
): Promise<string[]> => {
  const rendered: string[] = []
  const authorText = createAuthorTexts()
  let bytes = 0
  let size = payload === 'thin' ? events.length : RESOURCES_PER_READ
  const dataOf = async (batch: readonly StoredEvent[]): Promise<ReadData> => {
    if (payload === 'thin') return { asOf: new Date().toISOString(), texts: new Map() }
    if (known && rendered.length === 0) return known
    return readData(
      db,
      reader,
      batch.filter(({ action }) => showsResource(action)),
    )
  }
  while (rendered.length < events.length && bytes < maxBytes) {
    const batch = events.slice(rendered.length, rendered.length + size)
    try {
      const { asOf, texts } = await dataOf(batch)
      for (const event of batch) {
        const whole = texts.get(dataKey(event.kind, event.resource_id))
        const data = whole === undefined ? undefined : (reader.inEvents(event.kind, whole) as JsonText<object>)
        const text = eventText(store, feed, event, authorText(event), asOf, data)
        if (rendered.length > 0 && bytes + text.length > maxBytes) return rendered
        rendered.push(text)
        bytes += text.length
      }
    } catch (error) {
      if (!(error instanceof ResultTooLargeError) || size === 1) throw error
      size = 1
    }
  }
  return rendered
}
