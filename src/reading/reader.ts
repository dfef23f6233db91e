import { type Db, readSnapshot, type Tx } from '../storage/database.ts'
import { isDistributed } from '../storage/distributed.ts'
import { type Sql, sqlText } from '../storage/sql.ts'
import { runSql } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { fillHoles } from './holes.ts'
import { type Found, isSameFound, type Load, type RememberedTexts } from './remembered-texts.ts'
import {
  foundIn,
  type KeptIn,
  type Kinds,
  keepTexts,
  kindOf,
  type Loaded,
  missingTexts,
  OWN_STATEMENT,
  readColumns,
  rowIds,
  type Scope,
  selectionOf,
  storeTexts,
} from './texts.ts'

/** Texts of a kind as a part of a larger statement, which finds their ids. */
interface TextQuery {
  /** CTEs of the statement. */
  with: readonly Sql[]
  /** Columns to select. Empty for a kind that is rendered otherwise, and in a distributed database. */
  sql: Sql
  /** The texts of these ids with their holes filled, from the row that the statement returned. */
  read: (db: Db, ids: string[], row: Readonly<Record<string, unknown>>) => Promise<readonly string[]>
}

/** Reads texts on behalf of one caller, who sees one store. */
export interface Reader {
  one(db: Db, kind: string, id: string): Promise<string | undefined>
  /** In the order of the ids. Omits those deleted meanwhile. */
  many(db: Db, kind: string, ids: string[]): Promise<readonly string[]>
  /** Reads texts in the statement that finds their ids. */
  query(kind: string, scope: Scope): TextQuery
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

/** Exports and snapshots read more texts at once, and each of them once. */
const MAX_IDS = 100

/** Where a reader remembers texts. Readers with the same `viewer` see the same. */
export interface ReaderMemory {
  texts: RememberedTexts
  viewer: string
}

/** Runs a statement that reads texts. Finds nothing for a kind that no statement reads. */
type Find = (kind: string, ids: readonly string[]) => Promise<Found | undefined>

/** Runs each statement once. */
const findOnce = (find: Find, known: readonly Load[]): Find => {
  const nameOf = (kind: string, ids: readonly string[]) => `${kind} ${ids.join()}`
  const found = new Map(
    known.map(({ kind, ids, found }) => [nameOf(kind, ids), Promise.resolve<Found | undefined>(found)]),
  )
  return (kind, ids) => {
    const name = nameOf(kind, ids)
    const result = found.get(name) ?? find(kind, ids)
    found.set(name, result)
    return result
  }
}

/** Runs these statements again, all at once, and compares what they return. */
const isUnchanged = async (loads: readonly Load[], find: Find): Promise<boolean> => {
  const found = await Promise.all(loads.map(({ kind, ids }) => find(kind, ids)))
  return loads.every((load, place) => isSameFound(load.found, found[place]))
}

export const createReader = <Viewer>(
  kinds: Kinds<Viewer>,
  store: StoreId,
  viewer: Viewer,
  memory?: ReaderMemory,
): Reader => {
  const findIn =
    (db: Db): Find =>
    async (kind, ids) => {
      const selection = selectionOf(kinds, kind, OWN_STATEMENT)
      if (!selection.sql) return undefined
      const read = await runSql<Record<string, unknown>>(db, selection.statement, [store, rowIds(ids)])
      return selection.readsRows ? [read] : foundIn(selection, read[0])
    }

  /** The texts in what was found. A missing text is rendered from the rows: slower, but never wrong. */
  const load = async (db: Db, kind: string, ids: readonly string[], found: Found = []) => {
    const { columns } = selectionOf(kinds, kind, OWN_STATEMENT)
    const loaded = await readColumns(kinds, columns, found, store, viewer)
    const { texts, isComplete } = loaded.get(kind) ?? { texts: new Map<string, string>(), isComplete: false }
    const absent = isComplete ? [] : ids.filter((id) => !texts.has(id))
    if (absent.length === 0) return { loaded, isRendered: false }
    const rendered = await kindOf(kinds, kind).render(db, store, absent, viewer)
    if (rendered.size === 0) return { loaded, isRendered: true }
    if (columns.length > 0) missingTexts.count += rendered.size
    for (const [id, text] of rendered) texts.set(id, text)
    // The rendered texts may refer to newer rows than those already read.
    return { loaded: new Map([[kind, { texts, isComplete: false }]]), isRendered: true }
  }

  const constantText = (kind: string, id: string) => kinds[kind]?.remembered?.()?.get(id)

  const fill = (db: Db, texts: string[], fillings?: Loaded) => {
    const find = findIn(db)
    const loadMissing = async (kind: string, ids: string[]) => (await load(db, kind, ids, await find(kind, ids))).loaded
    return fillHoles(texts, loadMissing, fillings, constantText)
  }

  /** Reads texts and fills their holes. `known` is what the caller has already found. */
  const read = async (db: Db, kind: string, ids: readonly string[], known: readonly Load[] = []) => {
    const find = findOnce(findIn(db), known)
    const key = memory && ids.length <= MAX_IDS ? `${store} ${memory.viewer} ${kind} ${ids.join()}` : ''
    const last = key ? memory?.texts.get(key) : undefined
    if (last && (await isUnchanged(last.loads, find))) return last.texts
    const loads: Load[] = []
    let isRepeatable = true
    const loadAndNote = async (kind: string, ids: readonly string[]) => {
      const found = await find(kind, ids)
      const { loaded, isRendered } = await load(db, kind, ids, found)
      if (found && !isRendered) loads.push({ kind, ids, found })
      else isRepeatable = false
      return loaded
    }
    const loaded = await loadAndNote(kind, ids)
    const own = loaded.get(kind)?.texts
    const withHoles = ids.flatMap((id) => own?.get(id) ?? [])
    const texts = await fillHoles(withHoles, loadAndNote, loaded, constantText)
    if (key && isRepeatable) memory?.texts.set(key, { loads, texts })
    return texts
  }

  const many = async (db: Db, kind: string, ids: string[]) =>
    ids.length === 0 ? [] : readSnapshot(db, (db) => read(db, kind, ids))

  const keepAndFill = async (db: Tx, kind: string, id: string, text: string, parts: string[] = []) => {
    if (isDistributed()) {
      const stored = storeTexts(db, kindOf(kinds, kind).kept as KeptIn, store, new Map([[id, text]]))
      return (await Promise.all([fill(db, [text, ...parts]), stored]))[0]
    }
    const selection = selectionOf(kinds, kind, OWN_STATEMENT)
    const [row] = await runSql<Record<string, unknown>>(db, selection.keepAndFill, [store, [id], text])
    const loaded = await readColumns(kinds, selection.columns, foundIn(selection, row), store, viewer)
    return fill(db, [text, ...parts], loaded)
  }

  return {
    many,
    fill: (db, texts) => readSnapshot(db, (db) => fill(db, texts)),
    keep: (db, kind, id) => keepTexts(db, kinds, kind, store, [id]),
    keepAndFill,
    one: async (db, kind, id) => (await many(db, kind, [id]))[0],
    query: (kind, scope) => {
      if (isDistributed()) return { with: [], sql: sqlText``, read: (db, ids) => many(db, kind, ids) }
      const selection = selectionOf(kinds, kind, scope)
      return {
        with: selection.with,
        sql: selection.sql,
        read: (db, ids, row) =>
          read(db, kind, ids, selection.sql ? [{ kind, ids, found: foundIn(selection, row) }] : []),
      }
    },
  }
}
