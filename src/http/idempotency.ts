import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { ApiError, invalid } from '../errors.ts'
import { hideSold } from '../files/hide-sold.ts'
import { type Db, sqlState, type Tx, transact } from '../storage/database.ts'
import { relayWritten } from './relay.ts'
import { type Versioned, writeVersion } from './versions.ts'

const LOCK_NOT_AVAILABLE = '55P03'
const MOST_KEY_LENGTH = 255

declare module 'fastify' {
  interface FastifyRequest {
    /** Stands for a body that was not kept whole: what its parts contained. */
    bodyFingerprint: string | undefined
  }
}

const UUID = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi

const fingerprint = (request: FastifyRequest) =>
  createHash('sha256')
    .update(`${request.method} ${request.url.replace(UUID, (id) => id.toLowerCase())}\n`)
    .update(request.bodyFingerprint ?? JSON.stringify(request.body ?? {}))
    .digest()

interface Stored {
  request_hash: Buffer
  status: number
  body: string
}

/** Claims the key in the write's own transaction. A twin waits here until this one has ended. */
const claim = async (db: Tx, installation: string, key: string, hash: Buffer): Promise<Stored | undefined> => {
  await sql`set local lock_timeout = '2s'`.execute(db)
  const claimed = await db
    .insertInto('idempotency')
    .values({ installation_id: installation, key, request_hash: hash })
    .onConflict((conflict) =>
      conflict
        .columns(['installation_id', 'key'])
        .doUpdateSet({ request_hash: hash, status: null, body: null, created_at: sql`now()` })
        .where('idempotency.created_at', '<', sql<Date>`now() - interval '24 hours'`),
    )
    .returning('key')
    .executeTakeFirst()
  await sql`set local lock_timeout = 0`.execute(db)
  if (claimed) return undefined
  return (await db
    .selectFrom('idempotency')
    .select(['request_hash', 'status', 'body'])
    .where('installation_id', '=', installation)
    .where('key', '=', key)
    .executeTakeFirstOrThrow()) as Stored
}

const keep = (db: Tx, installation: string, key: string, status: number, body: string) =>
  db
    .updateTable('idempotency')
    .set({ status, body })
    .where('installation_id', '=', installation)
    .where('key', '=', key)
    .execute()

const conflict = (message: string) => new ApiError('idempotency_conflict', message)

const readKey = (request: FastifyRequest) => {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && key.length > 0 && key.length <= MOST_KEY_LENGTH) return key
  throw invalid({ 'Idempotency-Key': [`must be 1 to ${MOST_KEY_LENGTH} characters`] })
}

const envelope = (key: string | undefined, json: string) => (key ? `{"data":{"${key}":${json}}}` : '{"data":{}}')

/**
 * Runs a write in one transaction and sends what it rendered. With an Idempotency-Key the answer is stored in that
 * same transaction, so that a retry after a crash between commit and reply finds it and nothing happens twice.
 */
export const writeOnce = async (
  db: Db,
  reply: FastifyReply,
  answer: {
    status: 200 | 201
    /** Key of the resource in `data`; without one the answer is empty. */
    key?: string
    /** What the write changes, for If-Match and ETag. */
    resource?: Versioned
    /** What is left to do outside the database once the write is committed, and before the caller hears of it. */
    afterwards?: () => Promise<void>
  },
  work: (db: Tx) => Promise<string>,
): Promise<FastifyReply> => {
  const { request } = reply
  const key = readKey(request)
  const write = (db: Tx) => writeVersion(db, reply, answer.resource, work)
  const installation = request.caller.installation?.id
  if (key === undefined || !installation) {
    const json = await transact(db, write)
    await answer.afterwards?.()
    return relayWritten(reply, answer.status, envelope(answer.key, json))
  }
  const hash = fingerprint(request)
  try {
    const { status, body } = await transact(db, async (db) => {
      const stored = await claim(db, installation, key, hash)
      if (stored) return replay(db, reply, stored, hash)
      const body = envelope(answer.key, await write(db))
      await keep(db, installation, key, answer.status, body)
      return { status: answer.status, body }
    })
    await answer.afterwards?.()
    return relayWritten(reply, status, body)
  } catch (error) {
    if (sqlState(error) === LOCK_NOT_AVAILABLE)
      throw conflict('Another request with this Idempotency-Key is still being worked on.')
    throw error
  }
}

const replay = async (db: Tx, reply: FastifyReply, stored: Stored, hash: Buffer) => {
  if (!stored.request_hash.equals(hash))
    throw conflict('This Idempotency-Key was used for another request: choose a new key.')
  reply.header('Idempotency-Replayed', 'true')
  const { store, links } = reply.request
  return { status: stored.status, body: links.showsSold ? stored.body : await hideSold(db, store, stored.body) }
}
