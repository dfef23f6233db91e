import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { ApiError, invalid, notFound } from '../../errors.ts'
import { lowerCaseUuids } from '../input/uuid.ts'
import { type Db, isDatabaseUnavailable, isLockTimeout, type Tx, transact, transactDry } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'
import { isDryRun } from './dry-run.ts'
import { sendWritten } from './json-reply.ts'
import { errorsOfLines, withErrorsOfLines } from './line-errors.ts'
import { mayStoreReply } from './stored-reply-quota.ts'
import { type Versioned, type WriteAnswer, writeVersion } from './versions.ts'

const MAX_KEY_LENGTH = 255
/** By the database's clock: those of nodes may differ. */
const EXPIRED = sql<Date>`now() - interval '24 hours'`

declare module 'fastify' {
  interface FastifyRequest {
    /** Replaces the body in the request hash when the body was streamed: a hash of its parts. */
    bodyFingerprint: string | undefined
    /** Adapts a stored reply to what the caller may see now. */
    reviseReplay: (db: Db, body: string) => Promise<string>
  }
}

const fingerprint = (request: FastifyRequest) =>
  createHash('sha256')
    .update(`${request.method} ${lowerCaseUuids(request.url)}\n`)
    .update(request.bodyFingerprint ?? JSON.stringify(request.body ?? {}))
    .digest()

type Render = (db: Db, id: string) => Promise<string | undefined>

interface Answer {
  status: number
  body: string
}

/** A stored reply. Without a body, it is rendered again from the resource. */
interface Stored {
  request_hash: Buffer
  status: number
  body: string | null
  resource_id: string | null
  etag: string | null
  /** Of a reply without its body that has lines. */
  line_errors: string | null
}

/** A key that a caller has chosen for a write. */
interface Claim {
  store: StoreId
  installation: string
  key: string
}

const isClaim = ({ store, installation, key }: Claim) =>
  sql<boolean>`store_id = ${store} and installation_id = ${installation} and key = ${key}`

/** Claims the key in the write's own transaction. A concurrent duplicate waits here until that transaction ends. */
const claim = async (db: Tx, given: Claim, hash: Buffer): Promise<Stored | undefined> => {
  const { store, installation, key } = given
  await sql`set local lock_timeout = '2s'`.execute(db)
  const claimed = await db
    .insertInto('idempotency')
    .values({ store_id: store, installation_id: installation, key, request_hash: hash, created_at: sql`now()` })
    .onConflict((conflict) => conflict.columns(['store_id', 'installation_id', 'key']).doNothing())
    .returning('key')
    .executeTakeFirst()
  const stored = claimed ? undefined : await findStored(db, given)
  // An expired key is deleted by others at any time.
  if (!claimed && !stored) return claim(db, given, hash)
  const isFree = !stored || (stored.is_expired && (await reclaim(db, given, hash)))
  await sql`set local lock_timeout = 0`.execute(db)
  if (isFree) return undefined
  // It was expired, and another request has reclaimed it meanwhile.
  return stored.is_expired ? claim(db, given, hash) : stored
}

/** Another request may have reclaimed an expired key since: then it is not expired any more. */
const reclaim = async (db: Tx, given: Claim, hash: Buffer) => {
  const { numUpdatedRows } = await db
    .updateTable('idempotency')
    .set({
      request_hash: hash,
      status: null,
      body: null,
      resource_id: null,
      etag: null,
      line_errors: null,
      created_at: sql`now()`,
    })
    .where(isClaim(given))
    .where('created_at', '<', EXPIRED)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const findStored = async (db: Tx, given: Claim) =>
  (await db
    .selectFrom('idempotency')
    .select(['request_hash', 'status', 'body', 'resource_id', 'etag', 'line_errors'])
    .select(sql<boolean>`created_at < ${EXPIRED}`.as('is_expired'))
    .where(isClaim(given))
    .executeTakeFirst()) as (Stored & { is_expired: boolean }) | undefined

const storeAnswer = (db: Tx, { store, installation, key }: Claim, answer: Omit<Stored, 'request_hash'>) =>
  db
    .updateTable('idempotency')
    .set(answer)
    .where('store_id', '=', store)
    .where('installation_id', '=', installation)
    .where('key', '=', key)
    .execute()

const conflict = (message: string) => new ApiError('idempotency_conflict', message)

const readKey = (request: FastifyRequest) => {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && key.length > 0 && key.length <= MAX_KEY_LENGTH) return key
  throw invalid({ 'Idempotency-Key': [`must be 1 to ${MAX_KEY_LENGTH} characters`] })
}

const envelope = (key: string | undefined, json: string) => (key ? `{"data":{"${key}":${json}}}` : '{"data":{}}')

const idOf = (json: string): string => (JSON.parse(json) as { id: string }).id

/** Of a reply that is too large to store. */
const whatIsKept = (json: string, hasLines = false) =>
  hasLines ? { line_errors: errorsOfLines(json) } : { resource_id: idOf(json) }

const replay = async (
  db: Tx,
  reply: FastifyReply,
  stored: Stored,
  hash: Buffer,
  { key, render }: { key?: string; render?: Render },
): Promise<Answer> => {
  if (!stored.request_hash.equals(hash))
    throw conflict('This Idempotency-Key was used for another request: choose a new key.')
  const { status, body, resource_id: id, etag, line_errors } = stored
  if (etag) reply.header('ETag', etag)
  reply.header('Idempotency-Replayed', 'true')
  if (body !== null) return { status, body: await reply.request.reviseReplay(db, body) }
  const json = await render?.(db, id as string)
  if (json === undefined) throw notFound((key as string).replaceAll('_', ' '))
  return { status, body: envelope(key, line_errors === null ? json : withErrorsOfLines(json, line_errors)) }
}

interface AnswerOptions {
  status: 200 | 201 | 202
  /** Key of the resource in `data`; without one, `data` is empty. */
  key?: string
  /** Renders the resource again for a retry whose first reply was too large to store. */
  render?: Render
  /** The reply has a line for each line of the request, with its `errors`: these are kept although the reply is not. */
  hasLines?: boolean
  /** The resource that the write changes, for If-Match and ETag. */
  resource?: Versioned
  /** The write is a single statement, so without an Idempotency-Key it needs no transaction. */
  isOneStatement?: boolean
  /** Runs after the commit and before the reply, for work outside the database. */
  afterwards?: () => Promise<void>
  /** The write handles dry runs itself, so its transaction is committed. */
  handlesDryRun?: boolean
  /** The reply contains a secret: it is not stored but rendered again for a retry. */
  isSecret?: boolean
}

type Write = (db: Tx) => Promise<string>

const writeWithoutKey = async (db: Db, options: AnswerOptions, write: Write): Promise<Answer> => {
  const json = options.isOneStatement ? await write(db as Tx) : await transact(db, write)
  return { status: options.status, body: envelope(options.key, json) }
}

/** Stores the reply in the transaction of the write, or replays the reply that was stored for this key. */
const writeWithKey = (
  db: Db,
  reply: FastifyReply,
  claimed: Claim,
  options: AnswerOptions,
  write: Write,
): Promise<Answer> => {
  const hash = fingerprint(reply.request)
  const { status, key, render, hasLines, isSecret } = options
  return transact(db, async (db) => {
    const stored = await claim(db, claimed, hash)
    if (stored) return replay(db, reply, stored, hash, options)
    const json = await write(db)
    const body = envelope(key, json)
    const mayStore = !isSecret && mayStoreReply(claimed.installation, body)
    const isRenderedAgain = render && !mayStore && json !== 'null'
    const content = isRenderedAgain ? whatIsKept(json, hasLines) : { body }
    const etag = (reply.getHeader('etag') as string | undefined) ?? null
    await storeAnswer(db, claimed, { status, body: null, resource_id: null, line_errors: null, ...content, etag })
    return { status, body }
  }).catch((error) => {
    throw isLockTimeout(error) && !isDatabaseUnavailable(error)
      ? conflict('Another request with this Idempotency-Key is still running.')
      : error
  })
}

/**
 * Runs a write in one transaction and sends the reply it rendered. With an Idempotency-Key, the reply is stored in the
 * same transaction: a retry after a crash between commit and reply finds it, so nothing happens twice. A dry run is
 * rolled back: it stores no reply and uses no key.
 */
export const writeOnce = async (
  db: Db,
  reply: FastifyReply,
  options: AnswerOptions,
  work: (db: Tx) => Promise<WriteAnswer>,
): Promise<FastifyReply> => {
  const { request } = reply
  const key = readKey(request)
  const { installation } = request.caller
  const write = (db: Tx) => writeVersion(db, reply, options.resource, work)
  if (isDryRun(request)) {
    reply.header('Preference-Applied', 'dry-run')
    if (!options.handlesDryRun) {
      const json = await transactDry(db, write)
      // The rolled-back version does not exist.
      return sendWritten(reply.removeHeader('ETag'), options.status, envelope(options.key, json))
    }
  }
  const { status, body } =
    key === undefined || !installation
      ? await writeWithoutKey(db, options, write)
      : await writeWithKey(
          db,
          reply,
          { store: installation.store_id, installation: installation.id, key },
          options,
          write,
        )
  await options.afterwards?.()
  return sendWritten(reply, status, body)
}
