import type { FastifyRequest } from 'fastify'
import { invalid } from '../errors.ts'
import { isUuid } from '../input/uuid.ts'
import type { Db } from '../storage/database.ts'
import { type DatabaseCaller, databaseCaller } from '../storage/database-caller.ts'
import type { RunInTurn } from '../storage/fair-queue.ts'
import { ResultTooLargeError } from '../storage/result-limit.ts'
import { identifier, sqlText } from '../storage/sql.ts'
import { runSql } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { currentCursor } from './feed.ts'
import { decodeCursor, encodeCursor } from './feed-cursor.ts'
import { resourceTexts } from './render.ts'

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
const MAX_BATCH = 500
/** Target size of a piece. A stalled reader holds one in memory. */
const PIECE_BYTES = 2 ** 20

interface Batch {
  lines: string[]
  last: string
}

/** Ids increase with time, so that no row from before the start is missed. */
const nextIds = (db: Db, store: StoreId, table: string, after: string | null, limit: number) =>
  runSql<{ id: string }>(
    db,
    sqlText`select id from ${identifier(table)} where store_id = $1 and id > $2 order by id limit $3`,
    [store, after ?? '00000000-0000-0000-0000-000000000000', limit],
  )

const readBatch = async (db: Db, request: FastifyRequest, kind: string, after: string | null, limit: number) => {
  const table = request.server.eventKinds.snapshotTable(kind) ?? ''
  const ids = (await nextIds(db, request.store, table, after, limit)).map(({ id }) => id)
  const last = ids.at(-1)
  if (last === undefined) return undefined
  const texts = await resourceTexts(db, request.texts, kind, ids)
  const lines = [...texts.values()].map((text) => `{"type":"${kind}","data":${text}}\n`)
  return { lines, last } satisfies Batch
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
  const counts = { ...mark.counts }
  let sinceMark = 0
  for (const kind of mark.kinds.slice(mark.kinds.indexOf(mark.kind))) {
    let after = kind === mark.kind ? mark.id : null
    let size = FIRST_BATCH
    counts[kind] ??= 0
    for (;;) {
      let batch: Batch | undefined
      const limit = Math.min(size, ROWS_PER_MARK - sinceMark)
      try {
        batch = await databaseCaller.run(caller, () => inTurn(() => readBatch(db, request, kind, after, limit)))
      } catch (error) {
        if (!(error instanceof ResultTooLargeError) || size === 1) throw error
        size = Math.ceil(limit / 10)
        continue
      }
      if (!batch) break
      after = batch.last
      counts[kind] += batch.lines.length
      sinceMark += batch.lines.length
      const piece = batch.lines.join('')
      yield piece
      if (sinceMark >= ROWS_PER_MARK) {
        sinceMark = 0
        yield `{"type":"mark","mark":"${encodeMark({ ...mark, kind, id: after, counts })}"}\n`
      }
      size = nextSize(limit, piece.length)
    }
  }
  yield `${JSON.stringify({ type: 'end', cursor: mark.cursor, counts })}\n`
}

/** As many rows as make up a piece, if they are as large as the last ones. */
const nextSize = (size: number, bytes: number) =>
  Math.max(1, Math.min(MAX_BATCH, size * 4, Math.floor((size * PIECE_BYTES) / Math.max(1, bytes))))
