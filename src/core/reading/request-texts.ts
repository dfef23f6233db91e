import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../errors.ts'
import type { EncodedBody } from '../http/encoded-body.ts'
import { writeOnce } from '../http/idempotency.ts'
import { encodeText, sendBody } from '../http/json-reply.ts'
import { tagOf, type Versioned } from '../http/versions.ts'
import type { Db, Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'
import type { Tables } from '../storage/tables.ts'
import { createReader, type Reader } from './reader.ts'
import { createRememberedReplies } from './remembered-replies.ts'
import { lockRow } from './single-row.ts'
import type { Kinds } from './texts.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Reads texts as this caller may see them. */
    texts: Reader
    /**
     * The body of a reply that shows texts of this kind. The last one under this key is sent again if nothing in the store
     * has changed since it was read.
     */
    recall(db: Db, kind: string, key: string, read: () => Promise<EncodedBody>): Promise<EncodedBody>
  }
}

interface TextOptions<Viewer> {
  /** Determines what texts may show to the caller. */
  viewerOf: (request: FastifyRequest) => Viewer
  /** Identifies a viewer: those with the same key see the same. */
  keyOf: (viewer: Viewer) => string
  /** Kinds of texts whose every change is in the feed. */
  inFeed: ReadonlySet<string>
  /** Gives the changes of a store their positions in the feed. */
  numberChanges: (store: StoreId) => Promise<unknown>
}

/** Adds to each request what reads texts and remembers replies. */
export const readTexts = <Viewer>(
  app: FastifyInstance,
  kinds: Kinds<Viewer>,
  { viewerOf, keyOf, inFeed, numberChanges }: TextOptions<Viewer>,
) => {
  const replies = createRememberedReplies({ numberChanges })
  app.decorateRequest('texts', {
    getter(this: FastifyRequest) {
      return createReader(kinds, this.store, viewerOf(this))
    },
  })
  app.decorateRequest('recall', function recall(this: FastifyRequest, db, kind, key, read) {
    return inFeed.has(kind) ? replies.body(db, this.store, `${keyOf(viewerOf(this))} ${kind} ${key}`, read) : read()
  })
}

/** Sends the resource with this id, under `key`. */
export const sendResource = async (
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: string,
  id: string,
  key = kind,
) => {
  const body = await request.recall(db, kind, id, async () => {
    const text = await request.texts.one(db, kind, id)
    if (text === undefined) throw notFound(key.replaceAll('_', ' '))
    return encodeText(key, text, tagOf(text))
  })
  return sendBody(reply, body)
}

/** The resource that a write changes: the row to lock, and the text whose ETag `If-Match` is compared with. */
export const textVersion = ({ store, texts }: FastifyRequest, kind: string & keyof Tables, id: string): Versioned => ({
  lock: (db) => lockRow(db, kind, store, id),
  read: (db) => texts.one(db, kind, id),
})

/** Reads a text again for a retry whose first reply was too large to be stored. */
export const rereadText =
  ({ texts }: FastifyRequest, kind: string) =>
  (db: Db, id: string) =>
    texts.one(db, kind, id)

/** Runs a write that creates a resource and returns its id; answers 201 with its text. */
export const createResource = (
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: string,
  create: (db: Tx) => Promise<string>,
) =>
  writeOnce(db, reply, { status: 201, key: kind, render: rereadText(request, kind) }, async (db) =>
    textAfter(db, request, kind, await create(db)),
  )

/** Runs a write that changes a resource; answers with its new text. */
export const changeResource = (
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: string & keyof Tables,
  id: string,
  change: (db: Tx) => Promise<unknown>,
) => {
  const resource = textVersion(request, kind, id)
  return writeOnce(db, reply, { status: 200, key: kind, render: rereadText(request, kind), resource }, async (db) => {
    await change(db)
    return textAfter(db, request, kind, id)
  })
}

const textAfter = async (db: Db, { texts }: FastifyRequest, kind: string, id: string): Promise<string> => {
  const text = await texts.one(db, kind, id)
  if (text === undefined) throw notFound(kind.replaceAll('_', ' '))
  return text
}
