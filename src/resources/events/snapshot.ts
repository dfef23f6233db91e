import type { FastifyRequest } from 'fastify'
import { isUuid } from '../../core/input/uuid.ts'
import type { Db } from '../../core/storage/database.ts'
import { type DatabaseCaller, databaseCaller } from '../../core/storage/database-caller.ts'
import type { RunInTurn } from '../../core/storage/fair-queue.ts'
import { ResultTooLargeError } from '../../core/storage/result-limit.ts'
import { identifier, sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid } from '../../errors.ts'
import { currentCursor } from './feed.ts'
import { decodeCursor, encodeCursor } from './feed-cursor.ts'
import { permissionsOf } from './read-page.ts'

/** How far a snapshot has got, so that it can be resumed after an interruption. */
interface Mark {
  /** Where the feed continues: taken before the first row was read. */
  cursor: string
  kinds: string[]
  /** The kind that is being read, and the last id of it. */
  kind: string
  id: string | null
  counts: Record<string, number>
}

const encodeMark = (mark: Mark) => Buffer.from(JSON.stringify(Object.values(mark))).toString('base64url')

const isCounts = (value: unknown): value is Record<string, number> =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((count) => Number.isSafeInteger(count) && (count as number) >= 0)

/** Refuses a mark of other kinds than those asked for now: the rest would be incomplete. */
export const decodeMark = (text: string, kinds: readonly string[]): Mark => {
  const refuse = () => invalid({ after: ['must be the mark of a line of a snapshot of the same types'] })
  try {
    const [cursor, marked, kind, id, counts] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    const fits = JSON.stringify(marked) === JSON.stringify(kinds) && kinds.includes(kind)
    if (!fits || !(id === null || (typeof id === 'string' && isUuid(id))) || !isCounts(counts)) throw refuse()
    decodeCursor(cursor)
    return { cursor, kinds: [...kinds], kind, id, counts }
  } catch {
    throw refuse()
  }
}

export const firstMark = async (db: Db, store: StoreId, kinds: string[]): Promise<Mark> => ({
  cursor: encodeCursor(await currentCursor(db, store)),
  kinds,
  kind: kinds[0] ?? '',
  id: null,
  counts: {},
})

const ROWS_PER_MARK = 500
const FIRST_BATCH = 50
/** Target size of what is read at once. A stalled reader holds two of these in memory. */
const BATCH_BYTES = 2 ** 20
/** Lines are joined up to this length. Larger strings are expensive to allocate and freed late. */
const PIECE_LENGTH = 2 ** 16

/** What the batches of a snapshot have in common. */
interface Source {
  db: Db
  request: FastifyRequest
  /** Runs a short read on behalf of the caller, in turn with other snapshots. */
  read: RunInTurn
  /** How many rows of a kind are read at once. */
  sizes: Map<string, number>
}

/** Ids of one kind, whose texts are being read. */
interface Batch {
  kind: string
  ids: string[]
  texts: Promise<readonly string[]>
}

/** Ids increase with time, so that no row from before the start is missed. */
const nextIds = async ({ db, request, read }: Source, kind: string, after: string | null, limit: number) => {
  const table = identifier(request.server.eventKinds.snapshotTable(kind) ?? '')
  const statement = sqlText`select id from ${table} where store_id = $1 and id > $2 order by id limit $3`
  const values = [request.store, after ?? '00000000-0000-0000-0000-000000000000', limit]
  return (await read(() => runSql<{ id: string }>(db, statement, values))).map(({ id }) => id)
}

const readTexts = ({ db, request, read }: Source, kind: string, ids: string[]): Batch => {
  const texts = read(async () => {
    const found = await request.texts.many(db, kind, ids)
    return found.map((text) => request.texts.inEvents(kind, text))
  })
  // An error is reported when the batch is used, which does not happen after the client has disconnected.
  texts.catch(() => {})
  return { kind, ids, texts }
}

/** A batch ends where a mark is due. */
async function* readBatches(source: Source, mark: Mark): AsyncGenerator<Batch, void> {
  let sinceMark = 0
  for (const kind of mark.kinds.slice(mark.kinds.indexOf(mark.kind))) {
    for (let after = kind === mark.kind ? mark.id : null; ; ) {
      const limit = Math.min(source.sizes.get(kind) ?? FIRST_BATCH, ROWS_PER_MARK - sinceMark)
      const ids = await nextIds(source, kind, after, limit)
      const last = ids.at(-1)
      if (last === undefined) break
      yield readTexts(source, kind, ids)
      after = last
      sinceMark = (sinceMark + ids.length) % ROWS_PER_MARK
    }
  }
}

/** Asks for the next item before the current one is used: the database works while texts are rendered and sent. */
async function* oneAhead<T>(items: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  let next = items.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done) return
      next = items.next()
      next.catch(() => {})
      yield value
    }
  } finally {
    await items.return()
  }
}

/** The texts of a batch; in several parts if they are too large to be read at once. */
async function* partsOf(source: Source, { kind, ids, texts }: Batch): AsyncGenerator<readonly string[], void> {
  try {
    return yield await texts
  } catch (error) {
    if (!(error instanceof ResultTooLargeError) || ids.length === 1) throw error
  }
  const fewer = Math.ceil(ids.length / 10)
  for (let first = 0; first < ids.length; first += fewer)
    yield* partsOf(source, readTexts(source, kind, ids.slice(first, first + fewer)))
}

/** Lines as pieces to be sent. Notes how many rows make up the next batch, if they are as large as these. */
function* piecesOf({ sizes }: Source, kind: string, texts: readonly string[]): Generator<string, void> {
  let length = 0
  let piece = ''
  for (const text of texts) {
    piece += `{"type":"${kind}","data":${text}}\n`
    if (piece.length < PIECE_LENGTH) continue
    yield piece
    length += piece.length
    piece = ''
  }
  if (piece) yield piece
  length += piece.length
  const size = Math.min(ROWS_PER_MARK, texts.length * 4, Math.floor((texts.length * BATCH_BYTES) / length))
  if (texts.length > 0) sizes.set(kind, Math.max(1, size))
}

/**
 * The store as lines of JSON: resources by kind, a mark every few hundred, and at the end the cursor from which the feed
 * continues. Rows are read in short statements while others write, so that a row may be newer than the cursor; reading
 * the feed from there brings everything to the same state.
 */
export async function* takeSnapshot(
  db: Db,
  inTurn: RunInTurn,
  request: FastifyRequest,
  mark: Mark,
): AsyncGenerator<string> {
  const caller = databaseCaller.getStore() as DatabaseCaller
  const source: Source = {
    db,
    request,
    read: (work) => databaseCaller.run(caller, () => inTurn(work)),
    sizes: new Map(),
  }
  const counts = Object.fromEntries(mark.kinds.map((kind) => [kind, mark.counts[kind] ?? 0]))
  let sinceMark = 0
  for await (const batch of oneAhead(readBatches(source, mark))) {
    const { kind, ids } = batch
    // Read ahead: access may have been revoked since. The caller may have lost the permission of one kind only.
    await request.checkAgain()
    request.server.eventKinds.snapshotKinds(mark.kinds, permissionsOf(request))
    for await (const texts of partsOf(source, batch)) {
      counts[kind] = (counts[kind] ?? 0) + texts.length
      yield* piecesOf(source, kind, texts)
    }
    sinceMark += ids.length
    if (sinceMark < ROWS_PER_MARK) continue
    sinceMark = 0
    yield `{"type":"mark","mark":"${encodeMark({ ...mark, kind, id: ids.at(-1) ?? null, counts })}"}\n`
  }
  yield `${JSON.stringify({ type: 'end', cursor: mark.cursor, counts })}\n`
}
