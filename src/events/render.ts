import { object, value } from '../reading/json-text.ts'
import type { Reader } from '../reading/texts.ts'
import type { Db } from '../storage/database.ts'
import { ResultTooLargeError } from '../storage/result-limit.ts'
import type { StoreId } from '../storage/store-id.ts'
import type { StoredEvent } from './feed.ts'
import { eventId } from './feed-cursor.ts'
import { showsResource } from './kinds.ts'

export type Payload = 'full' | 'thin'

/** Maximum size of a page of events, unless a single event is larger. */
const MAX_BYTES = 4 * 2 ** 20
const RESOURCES_PER_READ = 20

/** The texts of resources of one kind, by id. Deleted resources are left out. */
const resourceTexts = async (db: Db, texts: Reader, kind: string, ids: string[]): Promise<Map<string, string>> => {
  const read = await texts.many(db, kind, ids)
  const found = new Map<string, string>()
  // Texts come in the order of the ids, and each begins with its own id.
  for (const id of ids) {
    const text = read[found.size]
    if (text?.startsWith(`{"id":"${id}"`)) found.set(id, text)
  }
  if (found.size !== read.length) throw new Error(`A text of the kind ${kind} does not begin with its id.`)
  return found
}

/** Ids, kinds, actions and times contain nothing that JSON escapes. */
const eventText = (store: StoreId, feed: string, event: StoredEvent, asOf: string, data: string | undefined) => {
  const { kind, action, at, position, resource_id, changed, previous, app_id, app_name } = event
  const app = app_id === null ? 'null' : object({ id: value(app_id), name: value(app_name) })
  return (
    `{"id":"${eventId(feed, position)}","type":"${kind}.${action}","timestamp":"${at}","position":${position},` +
    `"store_id":"${store}","resource":{"kind":"${kind}","id":"${resource_id}"},"changed":${changed},` +
    `"previous":${previous},"app":${app},"as_of":"${asOf}","data":${data ?? `{"id":"${resource_id}"}`}}`
  )
}

/** The resources that the events show, by kind and id. One read per kind. */
const readData = async (db: Db, texts: Reader, events: readonly StoredEvent[]): Promise<Map<string, string>> => {
  const wanted = new Map<string, Set<string>>()
  for (const event of events)
    if (showsResource(event.action))
      wanted.set(event.kind, (wanted.get(event.kind) ?? new Set()).add(event.resource_id))
  const data = new Map<string, string>()
  for (const [kind, ids] of wanted)
    for (const [id, text] of await resourceTexts(db, texts, kind, [...ids])) data.set(`${kind} ${id}`, text)
  return data
}

/**
 * Events as JSON text, in order. `data` is read now, so that it is never older than the event. Returns at least one, and
 * fewer than given if the reply would become too large.
 */
export const renderEvents = async (
  db: Db,
  texts: Reader,
  store: StoreId,
  feed: string,
  events: readonly StoredEvent[],
  payload: Payload,
  maxBytes = MAX_BYTES,
): Promise<string[]> => {
  const rendered: string[] = []
  let bytes = 0
  let size = payload === 'thin' ? events.length : RESOURCES_PER_READ
  while (rendered.length < events.length && bytes < maxBytes) {
    const batch = events.slice(rendered.length, rendered.length + size)
    const asOf = new Date().toISOString()
    try {
      const data = payload === 'thin' ? new Map<string, string>() : await readData(db, texts, batch)
      for (const event of batch) {
        const text = eventText(store, feed, event, asOf, data.get(`${event.kind} ${event.resource_id}`))
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
