import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import type { Api } from '../../core/http/api.ts'
import { sendJson, sendText } from '../../core/http/json-reply.ts'
import { createStoreSlots } from '../../core/http/store-slots.ts'
import { data, errors, ref } from '../../core/input/schemas.ts'
import type { Db } from '../../core/storage/database.ts'
import { createFairQueue } from '../../core/storage/fair-queue.ts'
import { preferReplica } from '../../core/storage/replicas.ts'
import { notFound } from '../../errors.ts'
import type { AccessCache } from '../auth/access-cache.ts'
import { encodeCursor, parseEventId } from './feed-cursor.ts'
import { followStore, type Hub } from './hub.ts'
import { findEvent } from './read-events.ts'
import { permissionsOf, type RenderedPage, readPage, startOf } from './read-page.ts'
import { renderEvents } from './render.ts'
import { EventPageBody, EventParams, EventQuery, EventResource, snapshotQuery } from './schema.ts'
import { decodeMark, firstMark, takeSnapshot } from './snapshot.ts'
import { STREAM_TIMES, streamEvents } from './stream.ts'

export interface EventServices {
  db: Db
  hub: Hub
  accessCache: AccessCache
  config: Config
}

const wantsStream = ({ headers }: FastifyRequest) => /\btext\/event-stream\b/i.test(headers.accept ?? '')

const NOT_STORED = { 'Cache-Control': 'private, no-store, no-transform', Vary: 'Accept', 'X-Accel-Buffering': 'no' }

/** Reads until there is an event, the time is up, or the client has disconnected. */
const waitForPage = async (db: Db, hub: Hub, request: FastifyRequest, query: EventQuery): Promise<RenderedPage> => {
  const seconds = query.wait
  let cursor = await startOf(db, request, query)
  if (seconds === 0) return readPage(db, request, cursor, query)
  const leave = hub.enter(request.caller.installation?.id ?? '')
  const gone = new AbortController()
  const abort = () => gone.abort()
  request.raw.socket.once('close', abort)
  const followed = followStore(hub, request.store, gone.signal)
  const until = performance.now() + seconds * 1000
  let isChanged = false
  try {
    for (;;) {
      followed.reset()
      const page = await readPage(db, request, cursor, query, { isChanged })
      const left = until - performance.now()
      if (page.texts.length > 0 || left <= 0 || followed.stopped) return page
      cursor = page.next
      if (page.more) continue
      await followed.next(left)
      isChanged = followed.changed
      await request.checkAgain()
    }
  } finally {
    followed.end()
    request.raw.socket.off('close', abort)
    leave()
  }
}

/** A stream whose first piece is made before the headers are sent, so that an error still gets an error reply. */
const sendPieces = async (reply: FastifyReply, pieces: AsyncGenerator<string>, leave: () => void) => {
  const first = await pieces.next()
  const body = Readable.from(startingWith(first, pieces), { highWaterMark: 1 })
  body.once('close', leave)
  return reply.send(body)
}

async function* startingWith(first: IteratorResult<string>, rest: AsyncGenerator<string>) {
  try {
    if (!first.done) yield first.value
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

const MAX_SNAPSHOTS_PER_STORE = 4

export const eventRoutes = (app: Api, { db, hub, accessCache, config }: EventServices, times = STREAM_TIMES) => {
  app.get(
    '/event',
    {
      config: { access: 'installation', extension: true, streams: true, refuses: ['forbidden', 'cursor_expired'] },
      schema: {
        operationId: 'listEvents',
        summary: 'Read the changes of the store',
        description:
          'All changes in one sequence without gaps, starting at any cursor. You see the kinds of resources whose ' +
          'permission your app has (`order.*` needs `order:view`); asking for another one by name is 403.\n\n' +
          'With `Accept: text/event-stream` the reply is a live stream of server-sent events: `id` is a cursor, `event` ' +
          'the type, `data` the event. Connect again with `Last-Event-ID`, which browsers send by themselves. The stream ' +
          'ends when the access token expires. At most 20 requests of an installation may wait or stream at a time.',
        querystring: EventQuery,
        response: { 200: data(EventPageBody), ...errors },
      },
    },
    async (request, reply) => {
      const { query } = request
      if (wantsStream(request)) return sendStream(request, reply, query)
      const { texts, next, more } = await waitForPage(db, hub, request, query)
      reply.header('Vary', 'Accept')
      return sendJson(
        reply,
        `{"data":{"events":[${texts.join()}],"next_cursor":"${encodeCursor(next)}","more":${more}}}`,
      )
    },
  )

  const sendStream = async (request: FastifyRequest, reply: FastifyReply, query: EventQuery) => {
    const lastId = request.headers['last-event-id']
    const resumed = typeof lastId === 'string' && lastId !== '' ? { ...query, cursor: lastId } : query
    const leave = hub.enter(request.caller.installation?.id ?? '')
    try {
      const start = await startOf(db, request, resumed)
      reply.type('text/event-stream; charset=utf-8').headers(NOT_STORED)
      const pieces = streamEvents(db, hub, accessCache, request, start, query, times)
      return await sendPieces(reply, pieces, leave)
    } catch (error) {
      leave()
      throw error
    }
  }

  app.get(
    '/event/:id',
    {
      config: { access: 'installation', extension: true, subject: 'event' },
      schema: {
        operationId: 'getEvent',
        summary: 'Fetch one event',
        description: 'Events are kept for 30 days, unless the operator has set another time.',
        params: EventParams,
        response: { 200: data({ event: ref(EventResource) }), ...errors },
      },
    },
    async (request, reply) => {
      const { params, store, texts } = request
      const place = parseEventId(params.id)
      const filter = {
        ...app.eventKinds.visibleTypes(undefined, permissionsOf(request)),
        installation: request.caller.installation?.id,
      }
      const event = place && (await findEvent(db, store, place, filter))
      if (!event) throw notFound('event')
      const [text] = await renderEvents(db, texts, store, place.feed, [event], { payload: 'full' })
      return sendText(reply, 'event', text as string)
    },
  )

  const enterSnapshot = createStoreSlots(MAX_SNAPSHOTS_PER_STORE, 'snapshots')
  // Snapshots use at most a quarter of the pool; the rest is for interactive requests.
  const slots = Math.max(1, Math.floor(config.DATABASE_POOL / 4))
  const queue = createFairQueue({ slots })

  app.get(
    '/snapshot',
    {
      config: { access: 'installation', extension: true, produces: 'application/x-ndjson', refuses: ['forbidden'] },
      schema: {
        operationId: 'downloadSnapshot',
        summary: 'Download the store',
        description:
          'All resources as lines of JSON: `{"type":"product","data":{…}}`. Every few hundred lines a ' +
          '`{"type":"mark","mark":"…"}` tells where to continue after an interruption. The last line is ' +
          '`{"type":"end","cursor":"…","counts":{…}}`: read the feed from that cursor, and your copy is the store. ' +
          'Without that line the snapshot is not complete. Orders need `order:export`, other kinds the permission of ' +
          'their events.',
        querystring: snapshotQuery(app.eventKinds),
        response: { 200: Type.Unsafe<Readable>({ type: 'string' }), ...errors },
      },
    },
    async (request, reply) => {
      const { query, store, method } = request
      const kinds = app.eventKinds.snapshotKinds(query.types, permissionsOf(request))
      reply.type('application/x-ndjson; charset=utf-8').headers(NOT_STORED)
      // Fastify would read all of it and discard it.
      if (method === 'HEAD') return reply.send(Readable.from([]))
      const leave = enterSnapshot(store)
      try {
        const mark = query.after ? decodeMark(query.after, kinds) : await firstMark(db, store, kinds)
        // A standby that lags would miss changes from before the cursor in the last line.
        await preferReplica({ upToDate: true })
        const inTurn = <T>(work: () => Promise<T>) => queue.run([{ key: store, max: slots }], work)
        return await sendPieces(reply, takeSnapshot(db, inTurn, request, mark), leave)
      } catch (error) {
        leave()
        throw error
      }
    },
  )
}
