import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../errors.ts'
import { writeOnce } from '../http/idempotency.ts'
import type { Versioned } from '../http/versions.ts'
import type { Db, Tx } from '../storage/database.ts'
import type { Tables } from '../storage/tables.ts'
import { lockRow } from './find-one.ts'
import { createReader, type Kinds, type Reader } from './texts.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Reads texts as this caller may see them. */
    texts: Reader
  }
}

/** Gives each request its reader. `viewerOf` tells what a text may show to the caller. */
export const readTexts = <Viewer>(
  app: FastifyInstance,
  kinds: Kinds<Viewer>,
  viewerOf: (request: FastifyRequest) => Viewer,
) => {
  app.decorateRequest('texts', {
    getter(this: FastifyRequest) {
      return createReader(kinds, this.store, viewerOf(this))
    },
  })
}

/** The resource that a write changes: the row to lock, and the text whose ETag `If-Match` is compared with. */
export const textVersion = ({ store, texts }: FastifyRequest, kind: string & keyof Tables, id: string): Versioned => ({
  lock: (db) => lockRow(db, kind, store, id),
  read: (db) => texts.one(db, kind, id),
})

/** Reads a text again for a retry whose first reply was too large to be stored. */
export const textAgain =
  ({ texts }: FastifyRequest, kind: string) =>
  (db: Db, id: string) =>
    texts.one(db, kind, id)

interface Written {
  status?: 200 | 201
  /** The resource that is changed, for If-Match; a write that creates one has none. */
  id?: string
}

/** Runs a write, which returns the id of what it created or changed, and answers with its text. */
export const writeText = (
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: string & keyof Tables,
  { status = 200, id }: Written,
  work: (db: Tx) => Promise<string>,
) =>
  writeOnce(
    db,
    reply,
    { status, key: kind, render: textAgain(request, kind), ...(id && { resource: textVersion(request, kind, id) }) },
    async (db) => {
      const text = await request.texts.one(db, kind, await work(db))
      if (text === undefined) throw notFound(kind.replaceAll('_', ' '))
      return text
    },
  )
