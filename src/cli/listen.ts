import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { createReader } from '../core/reading/reader.ts'
import { type Db, isDatabaseUnavailable } from '../core/storage/database.ts'
import type { StoreId } from '../core/storage/store-id.ts'
import { ApiError } from '../errors.ts'
import { deriveKey, masterSecret } from '../resources/auth/secrets.ts'
import { currentCursor } from '../resources/events/feed.ts'
import { type Cursor, decodeCursor, encodeCursor, eventId } from '../resources/events/feed-cursor.ts'
import { type EventPage, readEvents, type StoredEvent } from '../resources/events/read-events.ts'
import { renderEvents } from '../resources/events/render.ts'
import { createFileUrls } from '../resources/files/file-urls.ts'
import { PERMISSIONS } from '../resources/permissions/catalogue.ts'
import { requireStore } from '../resources/stores/queries.ts'
import { TIMEOUT_MS } from '../resources/webhooks/egress.ts'
import { USER_AGENT } from '../resources/webhooks/sender.ts'
import { createWebhookSecrets } from '../resources/webhooks/signing.ts'
import { type Command, type Input, UsageError } from './arguments.ts'
import { withDatabase } from './command-context.ts'
import type { CommandIo } from './command-io.ts'

const LOOK_EVERY_MS = 300
const PAGE = 50
const [FIRST_RETRY_MS, LAST_RETRY_MS] = [500, 10_000]

const addressOf = (input: Input) => {
  const text = input.text('forward-to')
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new UsageError('--forward-to must be an address such as http://localhost:4000/hook.')
}

/** Where the place behind the last accepted event is kept, so that the next run goes on there. */
const createBookmark = ({ DATA_DIR }: Config, store: StoreId, address: string) => {
  const name = createHash('sha256').update(`${store} ${address}`).digest('hex').slice(0, 16)
  const file = path.join(DATA_DIR, `listen-${name}`)
  return {
    read: async (): Promise<Cursor | undefined> => {
      const text = await readFile(file, 'utf8').catch(() => '')
      return text ? decodeCursor(text) : undefined
    },
    write: async (cursor: Cursor) => {
      await mkdir(DATA_DIR, { recursive: true })
      await writeFile(`${file}.new`, encodeCursor(cursor))
      await rename(`${file}.new`, file)
    },
  }
}

/** Undefined if it was accepted, otherwise why not. */
const post = async (address: string, headers: Record<string, string>, body: Buffer, signal: AbortSignal) => {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    const request = { method: 'POST', headers, body: new Uint8Array(body), signal: limit } as const
    const reply = await fetch(address, { ...request, redirect: 'manual' })
    // What is not read would keep its connection.
    await reply.body?.cancel()
    return reply.ok ? undefined : `answered ${reply.status}`
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } }
    return cause?.code ?? message
  }
}

interface Forwarding {
  address: string
  sign: (id: string, body: Buffer) => Record<string, string>
  io: CommandIo
  signal: AbortSignal
}

/** Sends one event until it is accepted. */
const forward = async ({ address, sign, io, signal }: Forwarding, id: string, event: StoredEvent, text: string) => {
  const body = Buffer.from(text)
  const type = `${event.kind}.${event.action}`
  for (let wait = FIRST_RETRY_MS; !signal.aborted; wait = Math.min(LAST_RETRY_MS, wait * 2)) {
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': USER_AGENT,
      ...sign(id, body),
      ...(event.trace && { traceparent: event.trace }),
    }
    const fault = await post(address, headers, body, signal)
    if (fault === undefined) {
      await io.print(`${type}  ${id}\n`)
      return true
    }
    if (signal.aborted) break
    await io.print(`${type}  ${id}  ${fault}: trying again in ${wait / 1000} s\n`)
    await sleep(wait, undefined, { signal }).catch(() => {})
  }
  return false
}

const startOf = async (db: Db, store: StoreId, known: Cursor | undefined) => known ?? currentCursor(db, store)

/** The place behind one event of a page. */
const behind = ({ feed }: Cursor, { position, n }: StoredEvent): Cursor => ({ feed, position, n })

const listen = (input: Input, io: CommandIo) =>
  withDatabase(io, 'listen', async ({ db, config, signal }) => {
    const { eventKinds, kinds } = await import('../app.ts')
    const address = addressOf(input)
    const store = await requireStore(db, input.text('store'))
    const types = input.optional('types')?.split(',')
    const permissions = new Set<string>(PERMISSIONS)
    if (types) eventKinds.checkTypes(types, permissions)
    const filter = eventKinds.visibleTypes(types, permissions)
    const master = await masterSecret(db, config)
    const secrets = createWebhookSecrets(deriveKey(master, 'webhook secrets'))
    const receiver = { id: `listen ${store}`, generation: 1 }
    const urls = createFileUrls(`${config.baseUrl}/files`, deriveKey(master, 'file links'), config.FILE_URL_SECONDS)
    const reader = createReader(kinds, store, { ...urls, showsSold: true })
    const sign = (id: string, body: Buffer) => secrets.sign(receiver.id, [receiver.generation], id, body)
    const forwarding = { address, sign, io, signal }
    const bookmark = createBookmark(config, store, address)
    await io.print(`Signing secret: ${secrets.show(receiver)}\n`)

    type Page = Pick<EventPage, 'events' | 'next' | 'more'>
    const readOn = async (cursor: Cursor): Promise<Page> =>
      readEvents(db, store, cursor, filter, PAGE).catch(async (error) => {
        if (!(error instanceof ApiError) || error.code !== 'cursor_expired') throw error
        await io.print('The events since the last run are no longer kept: going on with the next one.\n')
        return { events: [], next: await currentCursor(db, store), more: false }
      })
    let cursor = await startOf(db, store, input.has('new') ? undefined : await bookmark.read())
    await bookmark.write(cursor)
    /** Forwards a page of events, each behind the last that was accepted. Whether there may be more at once. */
    const forwardPage = async () => {
      const { events, next, more } = await readOn(cursor)
      for (const event of events) {
        const [text = ''] = await renderEvents(db, reader, store, next.feed, [event], { payload: 'full' })
        if (!(await forward(forwarding, eventId(next.feed, event.position), event, text))) return false
        cursor = behind(next, event)
        await bookmark.write(cursor)
      }
      cursor = next
      await bookmark.write(cursor)
      return more
    }
    /** While the database is away, waits for it and goes on behind the last accepted event. */
    const outlastOutages = async () => {
      for (let wait = FIRST_RETRY_MS; ; wait = Math.min(LAST_RETRY_MS, wait * 2)) {
        try {
          return await forwardPage()
        } catch (error) {
          if (signal.aborted || !isDatabaseUnavailable(error)) throw error
          await io.print(`The database does not answer: trying again in ${wait / 1000} s\n`)
          await sleep(wait, undefined, { signal }).catch(() => {})
        }
      }
    }
    while (!signal.aborted) {
      if (await outlastOutages()) continue
      if (input.has('once')) break
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
    }
    return { value: null, printed: true }
  })

export const listenCommand: Command = {
  name: 'listen',
  summary: 'Forwards the events of a store to an address, for developing.',
  details:
    'Each event is posted as a webhook would be, signed with a secret that stays the same and is printed first, until the ' +
    'address accepts it. The next run goes on behind the last accepted event, so none is lost; nor if the database is away for a while.',
  options: {
    store: { value: 'STORE_ID', required: true, about: 'Id of the store, from store list.' },
    'forward-to': { value: 'URL', required: true, about: 'For example http://localhost:4000/hook.' },
    types: { value: 'TYPES', about: 'Only these, separated by commas: order.*,product.created.' },
    new: { about: 'Begin with the next event, not where the last run stopped.' },
    once: { about: 'Forward what there is and exit.' },
  },
  run: listen,
}
