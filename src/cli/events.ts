import { setTimeout as sleep } from 'node:timers/promises'
import { isUuid } from '../core/input/uuid.ts'
import type { Db } from '../core/storage/database.ts'
import type { StoreId } from '../core/storage/store-id.ts'
import { OperatorError } from '../errors.ts'
import { currentCursor } from '../resources/events/feed.ts'
import type { Cursor } from '../resources/events/feed-cursor.ts'
import { readEvents, type StoredEvent } from '../resources/events/read-events.ts'
import { type Command, type Input, UsageError } from './arguments.ts'
import { withDatabase } from './command-context.ts'
import type { CommandIo } from './command-io.ts'
import { triggerCommand } from './event-trigger.ts'

const LOOK_EVERY_MS = 500
const PAGE = 200
const DEFAULT_LAST = 10

const findStore = async (db: Db, id: string): Promise<StoreId> => {
  const store = isUuid(id)
    ? await db
        .selectFrom('store')
        .select('id')
        .where('id', '=', id as StoreId)
        .executeTakeFirst()
    : undefined
  if (!store) throw new OperatorError(`There is no store ${id}.`)
  return store.id
}

// Names of apps are user input: they must not contain terminal control characters.
const plain = (text: string) => text.replace(/\p{Cc}/gu, ' ')

const parsed = ({ trace: _, ...event }: StoredEvent) => ({
  ...event,
  changed: JSON.parse(event.changed) as string[],
  previous: JSON.parse(event.previous),
})

const lineOf = ({ at, position, kind, action, resource_id, changed, app_name, app_id }: ReturnType<typeof parsed>) =>
  [
    at,
    `#${position}`,
    `${kind}.${action}`.padEnd(24),
    resource_id,
    changed.join(' '),
    app_id ? `by ${plain(app_name ?? app_id)}` : '',
  ]
    .filter(Boolean)
    .join('  ')

const shownAs = (json: boolean) => (event: StoredEvent) =>
  `${json ? JSON.stringify(parsed(event)) : lineOf(parsed(event))}\n`

/** The position `count` events before the end. */
const startBefore = async (db: Db, store: StoreId, count: number): Promise<Cursor> => {
  const end = await currentCursor(db, store)
  const position = Math.max(0, end.position - count)
  const row = await db
    .selectFrom('event')
    .select('n')
    .where('store_id', '=', store)
    .where('position', '=', position)
    .executeTakeFirst()
  const { swept } = await db.selectFrom('feed').select('swept').where('store_id', '=', store).executeTakeFirstOrThrow()
  return { feed: end.feed, position: Math.max(position, swept), n: row?.n ?? 0 }
}

const countOf = (input: Input) => {
  const count = Number(input.optional('last') ?? DEFAULT_LAST)
  if (Number.isSafeInteger(count) && count >= 0) return count
  throw new UsageError('--last must be a whole number.')
}

const tail = (input: Input, io: CommandIo) =>
  withDatabase(io, 'event tail', async ({ db, signal }) => {
    const store = await findStore(db, input.text('store').toLowerCase())
    const show = shownAs(input.has('json'))
    const { eventKinds } = await import('../app.ts')
    const all = { kinds: eventKinds.names, types: [] }
    let cursor = await startBefore(db, store, countOf(input))
    while (!signal.aborted) {
      const { events, next, more } = await readEvents(db, store, cursor, all, PAGE)
      cursor = next
      if (events.length > 0) await io.print(events.map(show).join(''))
      if (more) continue
      if (input.has('once')) break
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
    }
    return { value: null, printed: true }
  })

export const eventCommands: readonly Command[] = [
  {
    name: 'event tail',
    summary: 'Shows the events of a store as they happen.',
    details: 'One line for each event, until it is interrupted. With --json, one JSON value on each line.',
    options: {
      store: { value: 'STORE_ID', required: true, about: 'Id of the store, from store list.' },
      last: { value: 'COUNT', about: `How many past events to show first. Default: ${DEFAULT_LAST}.` },
      once: { about: 'Show past events and exit.' },
    },
    run: tail,
  },
  triggerCommand,
]
