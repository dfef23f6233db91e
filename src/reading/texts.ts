import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Db, Tx } from '../storage/database.ts'
import { runSql } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import type { Tables } from '../storage/tables.ts'
import { fillHoles } from './holes.ts'

/** Texts by id, with holes; what the store does not have is left out. `Viewer` is what a text may show to a caller. */
export type Render<Viewer> = (db: Db, store: StoreId, ids: string[], viewer: Viewer) => Promise<Map<string, string>>

/** A kind whose text is made of one row of a table. */
export interface RowSource<Viewer> {
  /** Without its condition: `select id, name from category`. */
  select: string
  /** The texts of a row, by the id that holes ask for. */
  texts: (row: never, store: StoreId, viewer: Viewer) => Iterable<readonly [id: string, text: string]>
}

/**
 * A kind of text. One made of a single row is rendered when it is read: fetching the row costs no more than fetching a
 * finished text would. One made of many rows is kept in a table, and rendered when its rows change.
 */
export interface Kind<Viewer> {
  /** From the rows of the aggregate and of no other. Whatever else is shown is a hole. */
  render: Render<Viewer>
  rows?: RowSource<Viewer>
  kept?: KeptIn
  /** Renders and stores the texts, and those of what they contain. The caller holds the lock of each. */
  keep?: (db: Tx, store: StoreId, ids: string[]) => Promise<unknown>
  /** The aggregate that this is a part of, under whose lock it changes. */
  within?: { kind: string; find: (db: Db, store: StoreId, ids: string[]) => Promise<string[]> }
}

export interface KeptIn {
  /** `(store_id, id, text)`. */
  table: TextTable
  /** Whose rows have a text each. */
  of: keyof Tables
  /**
   * Which rows fill the holes of these texts: the condition for each kind, where $1 is the store and $2 the ids of the
   * texts. They are read in the same statement as the texts.
   */
  fillings?: Readonly<Record<string, string>>
}

type TextTable = {
  [Name in keyof Tables]: Tables[Name] extends { store_id: unknown; id: unknown; text: unknown } ? Name : never
}[keyof Tables]

export type Kinds<Viewer> = Readonly<Record<string, Kind<Viewer>>>

const ROWS_PER_TURN = 500

/** Renders rows in batches, so that a page with fifty thousand files does not hold up other requests. */
const textsOf = async <Viewer>(
  { texts }: RowSource<Viewer>,
  rows: readonly unknown[],
  store: StoreId,
  viewer: Viewer,
): Promise<Map<string, string>> => {
  const rendered = new Map<string, string>()
  for (const [place, row] of rows.entries()) {
    if (place > 0 && place % ROWS_PER_TURN === 0) await nextTurn()
    for (const [id, text] of texts(row as never, store, viewer)) rendered.set(id, text)
  }
  return rendered
}

/** A kind of single rows. A hole names the id of a row, and may name a part of its text after a slash. */
export const rowKind = <Viewer>(rows: RowSource<Viewer>): Kind<Viewer> => ({
  rows,
  render: async (db, store, keys, viewer) => {
    const ids = new Set(keys.map((key) => key.split('/', 1)[0]))
    const read = await runSql(db, `${rows.select} where store_id = $1 and id = any($2)`, [store, [...ids]])
    return textsOf(rows, read, store, viewer)
  },
})

/** Texts that should have been kept and were not there when they were read. */
export const missingTexts = { count: 0 }

interface KeptRow {
  id: string
  text: string
}

interface Loaded {
  texts: Map<string, string>
  /** By kind: all that the holes of these texts ask for, as far as it exists. */
  fillings?: Map<string, Map<string, string>>
}

/** In one statement, which sees the texts and the rows for their holes at the same moment. */
const readKept = async <Viewer>(
  db: Db,
  { table, fillings = {} }: KeptIn,
  kinds: Kinds<Viewer>,
  store: StoreId,
  ids: string[],
  viewer: Viewer,
): Promise<Loaded> => {
  const sources = Object.entries(fillings).map(([name, condition]) => {
    const { rows } = kindOf(kinds, name)
    if (!rows) throw new Error(`${name} is not a kind of single rows.`)
    return { name, condition, rows }
  })
  const all = (select: string, name: string) => `(select coalesce(json_agg(r), '[]') from (${select}) r) as ${name}`
  const parts = [
    all(`select id, text from ${table} where store_id = $1 and id = any($2)`, 'kept'),
    ...sources.map(({ name, condition, rows }) => all(`${rows.select} where store_id = $1 and ${condition}`, name)),
  ]
  const [row] = await runSql<Record<string, unknown[]>>(db, `select ${parts.join(', ')}`, [store, ids])
  const kept = (row?.kept ?? []) as KeptRow[]
  return {
    texts: new Map(kept.map(({ id, text }) => [id, text])),
    fillings: new Map(
      await Promise.all(
        sources.map(async ({ name, rows }) => [name, await textsOf(rows, row?.[name] ?? [], store, viewer)] as const),
      ),
    ),
  }
}

/** The texts with their holes. A missing text is rendered from the rows: slower, but never wrong. */
const loadTexts = async <Viewer>(
  db: Db,
  kinds: Kinds<Viewer>,
  name: string,
  store: StoreId,
  ids: string[],
  viewer: Viewer,
): Promise<Loaded> => {
  const { render, kept } = kindOf(kinds, name)
  if (!kept) return { texts: await render(db, store, ids, viewer) }
  const loaded = await readKept(db, kept, kinds, store, ids, viewer)
  const { texts } = loaded
  const absent = texts.size === ids.length ? [] : ids.filter((id) => !texts.has(id))
  if (absent.length === 0) return loaded
  const rendered = await render(db, store, absent, viewer)
  missingTexts.count += rendered.size
  for (const [id, text] of rendered) texts.set(id, text)
  // What was rendered may show rows that are newer than the fillings.
  return rendered.size === 0 ? loaded : { texts }
}

/** Reads texts on behalf of one caller, who sees one store. */
export interface Reader {
  one(db: Db, kind: string, id: string): Promise<string | undefined>
  /** In the sequence of the ids; what is gone meanwhile is left out. */
  many(db: Db, kind: string, ids: string[]): Promise<string[]>
  /** Fills the holes of texts that are at hand. */
  fill(db: Db, texts: string[]): Promise<string[]>
  /** To be called where rows of another slice's aggregate were changed; not every kind is kept. */
  keep(db: Tx, kind: string, id: string): Promise<void>
}

const kindOf = <Viewer>(kinds: Kinds<Viewer>, name: string): Kind<Viewer> => {
  const kind = kinds[name]
  if (!kind) throw new Error(`There is no kind of text called ${name}.`)
  return kind
}

/** Locks the aggregates, renders them and stores their texts: nobody can change them in between. */
export const keepTexts = async <Viewer>(
  db: Tx,
  kinds: Kinds<Viewer>,
  name: string,
  store: StoreId,
  ids: string[],
): Promise<void> => {
  const { within, kept, keep } = kinds[name] ?? {}
  if (within) return keepTexts(db, kinds, within.kind, store, await within.find(db, store, ids))
  if (!kept || !keep) return
  const lock = `select 1 from ${kept.of} where store_id = $1 and id = any($2) order by id for no key update`
  await runSql(db, lock, [store, ids])
  await keep(db, store, ids)
}

export const createReader = <Viewer>(kinds: Kinds<Viewer>, store: StoreId, viewer: Viewer): Reader => {
  const load = (db: Db, kind: string, ids: string[]) => loadTexts(db, kinds, kind, store, ids, viewer)
  const fill = (db: Db, texts: string[], fillings?: Loaded['fillings']) =>
    fillHoles(texts, async (kind, ids) => (await load(db, kind, ids)).texts, fillings)
  const many = async (db: Db, kind: string, ids: string[]) => {
    if (ids.length === 0) return []
    const { texts, fillings } = await load(db, kind, ids)
    return fill(
      db,
      ids.flatMap((id) => texts.get(id) ?? []),
      fillings,
    )
  }
  const keep = (db: Tx, kind: string, id: string) => keepTexts(db, kinds, kind, store, [id])
  return { many, fill, keep, one: async (db, kind, id) => (await many(db, kind, [id]))[0] }
}

/**
 * Stores the texts of aggregates whose rows have changed: the last step of every write. The caller holds the lock of the
 * aggregate, so that whoever changes it next renders after this. One is written as plain values, which a distributed
 * database sends straight to where the store is.
 */
export const storeTexts = async (db: Tx, { table }: KeptIn, store: StoreId, texts: Map<string, string>) => {
  if (texts.size === 0) return
  const one = texts.size === 1
  const rows = one ? 'values ($1::uuid, $2::uuid, $3)' : 'select $1::uuid, * from unnest($2::uuid[], $3::text[])'
  await runSql(
    db,
    `insert into ${table} as t (store_id, id, text) ${rows}
      on conflict (store_id, id) do update set text = excluded.text where t.text <> excluded.text`,
    one ? [store, ...[...texts].flat()] : [store, [...texts.keys()], [...texts.values()]],
  )
}
