import type { Db, Tx } from '../storage/database.ts'
import type { Sql } from '../storage/sql.ts'
import type { StoreId } from '../storage/store-id.ts'
import { inStore, onCoordinator } from '../storage/store-statement.ts'
import { fillHoles, type LoadTexts, type TextRequest } from './holes.ts'
import {
  type Found,
  foundIn,
  type Kinds,
  keepAndFillOf,
  keepTexts,
  kindOf,
  type Loaded,
  missingTexts,
  OWN_STATEMENT,
  readColumns,
  rowIds,
  type Scope,
  selectionOf,
} from './texts.ts'

/** Texts of a kind as a part of a larger statement, which finds their ids. */
interface TextQuery {
  /** CTEs of the statement. */
  with: readonly Sql[]
  /** Columns to select. Empty for a kind that is rendered otherwise. */
  sql: Sql
  /** The texts of these ids with their holes filled, from the row that the statement returned. */
  read: (db: Db, ids: string[], row: Readonly<Record<string, unknown>>) => Promise<string[]>
}

/** Reads texts on behalf of one caller, who sees one store. */
export interface Reader {
  /** Whether resources of this kind have texts. Events are also about others. */
  has(kind: string): boolean
  /** Whether `query()` can read them beside rows of the store. A distributed database keeps others on its coordinator. */
  isInStore(kind: string): boolean
  one(db: Db, kind: string, id: string): Promise<string | undefined>
  /** In the order of the ids. Omits those deleted meanwhile. */
  many(db: Db, kind: string, ids: string[]): Promise<string[]>
  /** Reads texts in the statement that finds their ids. */
  query(kind: string, scope: Scope): TextQuery
  /** A text that was read, as events and snapshots show it. */
  inEvents(kind: string, text: string): string
  /** Fills the holes of the given texts. */
  fill(db: Db, texts: string[]): Promise<string[]>
  /** Call this after changing rows of another slice's aggregate. Does nothing for kinds that are not kept. */
  keep(db: Tx, kind: string, id: string): Promise<void>
  /**
   * Stores the new text of an aggregate, whose lock the caller holds, and returns it with its holes filled, followed by
   * the given parts of it. The last step of a write.
   */
  keepAndFill(db: Tx, kind: string, id: string, text: string, parts?: string[]): Promise<string[]>
}

export const createReader = <Viewer>(kinds: Kinds<Viewer>, store: StoreId, viewer: Viewer): Reader => {
  const isReadable = ({ kind }: TextRequest) => selectionOf(kinds, kind, OWN_STATEMENT).sql !== ''

  const findOne = async (db: Db, { kind, ids }: TextRequest): Promise<Found> => {
    const selection = selectionOf(kinds, kind, OWN_STATEMENT)
    const send = kinds[kind]?.rows?.onCoordinator ? onCoordinator : inStore
    const row = await send<Record<string, unknown>>(db, store, selection.statement, [store, rowIds(ids)])
    return foundIn(selection.columns, row)
  }

  /** What statements return for each request. Nothing for kinds that no statement reads. */
  const find = async (db: Db, requests: readonly TextRequest[]): Promise<Map<TextRequest, Found>> =>
    new Map(
      await Promise.all(
        requests.filter(isReadable).map(async (request) => [request, await findOne(db, request)] as const),
      ),
    )

  /** The texts in what was found. A missing text is rendered from the rows: slower, but never wrong. */
  const load = async (db: Db, { kind, ids }: TextRequest, found: Found = []) => {
    const { columns } = selectionOf(kinds, kind, OWN_STATEMENT)
    const loaded = await readColumns(kinds, columns, found, store, viewer)
    const { texts, isComplete } = loaded.get(kind) ?? { texts: new Map<string, string>(), isComplete: false }
    const absent = isComplete ? [] : ids.filter((id) => !texts.has(id))
    if (absent.length === 0) return loaded
    const rendered = await kindOf(kinds, kind).render(db, store, absent, viewer)
    if (rendered.size === 0) return loaded
    if (columns.length > 0) missingTexts.count += rendered.size
    for (const [id, text] of rendered) texts.set(id, text)
    // The rendered texts may refer to newer rows than those already read.
    return new Map([[kind, { texts, isComplete: false }]])
  }

  const constantText = (kind: string, id: string) => kinds[kind]?.constant?.()?.get(id)

  const fill = (db: Db, texts: string[], fillings?: Loaded) => {
    const loadMissing: LoadTexts = async (requests) => {
      const found = await find(db, requests)
      return Promise.all(requests.map((request) => load(db, request, found.get(request))))
    }
    return fillHoles(texts, loadMissing, fillings, constantText)
  }

  /** The texts in what a statement returned, with their holes filled. */
  const read = async (db: Db, kind: string, ids: string[], found: Found | undefined) => {
    const loaded = await load(db, { kind, ids }, found)
    const texts = loaded.get(kind)?.texts
    const withHoles = ids.flatMap((id) => texts?.get(id) ?? [])
    return fill(db, withHoles, loaded)
  }

  const many = async (db: Db, kind: string, ids: string[]) => {
    if (ids.length === 0) return []
    const request = { kind, ids }
    return read(db, kind, ids, (await find(db, [request])).get(request))
  }

  const keepAndFill = async (db: Tx, kind: string, id: string, text: string, parts: string[] = []) => {
    const { statement, columns } = keepAndFillOf(kinds, kind)
    const row = await inStore<Record<string, unknown>>(db, store, statement, [store, [id], text])
    const loaded = await readColumns(kinds, columns, foundIn(columns, row), store, viewer)
    return fill(db, [text, ...parts], loaded)
  }

  return {
    has: (kind) => kind in kinds,
    isInStore: (kind) => kind in kinds && !kinds[kind]?.rows?.onCoordinator,
    many,
    inEvents: (kind, text) => kinds[kind]?.inEvents?.(text) ?? text,
    fill: (db, texts) => fill(db, texts),
    keep: (db, kind, id) => keepTexts(db, kinds, kind, store, [id]),
    keepAndFill,
    one: async (db, kind, id) => (await many(db, kind, [id]))[0],
    query: (kind, scope) => {
      const selection = selectionOf(kinds, kind, scope)
      return {
        with: selection.with,
        sql: selection.sql,
        read: (db, ids, row) => read(db, kind, ids, selection.sql ? foundIn(selection.columns, row) : undefined),
      }
    },
  }
}
