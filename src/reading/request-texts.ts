import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../errors.ts'
import { writeOnce } from '../http/idempotency.ts'
import type { Versioned } from '../http/versions.ts'
import type { Db, Tx } from '../storage/database.ts'
import type { Tables } from '../storage/tables.ts'
import { createReader, type Reader } from './reader.ts'
import { createRememberedTexts } from './remembered-texts.ts'
import { lockRow } from './single-row.ts'
import type { Kinds } from './texts.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Reads texts as this caller may see them. */
    texts: Reader
  }
}

/** Adds a reader to each request. `viewerOf` determines what texts may show to the caller; `keyOf` identifies it. */
export const readTexts = <Viewer>(
  app: FastifyInstance,
  kinds: Kinds<Viewer>,
  viewerOf: (request: FastifyRequest) => Viewer,
  keyOf: (viewer: Viewer) => string,
) => {
  const texts = createRememberedTexts()
  app.decorateRequest('texts', {
    getter(this: FastifyRequest) {
      const viewer = viewerOf(this)
      return createReader(kinds, this.store, viewer, { texts, viewer: keyOf(viewer) })
    },
  })
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
