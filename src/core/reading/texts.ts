import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Db, Tx } from '../storage/database.ts'
import { COMMA, identifier, joinSql, placeholder, type Sql, sqlText, t } from '../storage/sql.ts'
import { runSql } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { inStore, onCoordinator } from '../storage/store-statement.ts'
import type { Tables } from '../storage/tables.ts'

/** Renders texts with holes, by id. Omits what the store does not have. `Viewer` determines what a caller may see. */
export type Render<Viewer> = (db: Db, store: StoreId, ids: string[], viewer: Viewer) => Promise<Map<string, string>>

/** The bound store and ids of a statement. */
export interface Scope {
  store: Sql
  /** An array of uuids. */
  ids: Sql
}

/**
 * Which rows or texts of other kinds fill the holes of a kind: for each kind, a query for their ids, or the condition on
 * its table. They are read in the same statement, however deeply they are nested. Kinds that few texts refer to are better
 * left out: they are read when a hole refers to them, and cost the other reads nothing.
 */
type FilledFrom = Readonly<Record<string, (scope: Scope) => { ids: Sql } | { where: Sql }>>

/**
 * Columns that are read as text, by name. PostgreSQL renders them in half the time that it takes for an object, which counts
 * for kinds of which a reply shows many.
 */
export type TextColumns = Readonly<Record<string, Sql>>

/** A kind whose text is rendered from one row of a table. */
interface RowSource<Viewer> {
  table: keyof Tables
  /** The selected columns: `id, name`. Subqueries on other tables must restrict them to the store. */
  columns: Sql | ((store: Sql) => Sql) | TextColumns
  /** What `columns` refer to besides the table. Has neither an `id` nor a store of its own. */
  joined?: (store: Sql) => Sql
  /** The column that names the store, if not `store_id`. */
  storeColumn?: Sql
  /** Selects the rows, if they are not those of the table with these ids. */
  select?: (scope: Scope) => Sql
  /** The table is about apps and people: in a distributed database, the coordinator has it. */
  onCoordinator?: true
  /** The texts of a row, by the id that holes refer to. They may depend on nothing else (reader.ts). */
  texts: (row: never, store: StoreId, viewer: Viewer) => Iterable<readonly [id: string, text: string]>
  fillings?: FilledFrom
}

/**
 * A kind of text. A text of a single row is rendered on read: fetching the row costs no more than fetching a finished
 * text would. A text of many rows is kept in a table, and rendered when its rows change.
 */
export interface Kind<Viewer> {
  /** Uses only the rows of the aggregate. Everything else is a hole. */
  render: Render<Viewer>
  rows?: RowSource<Viewer>
  kept?: KeptIn
  /** Renders and stores the texts, and those of what they contain. The caller holds the lock of each. */
  keep?: (db: Tx, store: StoreId, ids: string[]) => Promise<unknown>
  /** The texts of this kind that the process keeps in memory: they are the same for all stores and never change. */
  constant?: () => ReadonlyMap<string, string> | undefined
  /** The text as events and snapshots show it, if they leave something out. */
  inEvents?: (text: string) => string
  /** The aggregate that this is a part of, under whose lock it changes. */
  within?: { kind: string; find: (db: Db, store: StoreId, ids: string[]) => Promise<string[]> }
}

export interface KeptIn {
  /** `(store_id, id, text)`. */
  table: TextTable
  /** The table whose rows have a text each. */
  of: keyof Tables
  fillings?: FilledFrom
}

type TextTable = {
  [Name in keyof Tables]: Tables[Name] extends { store_id: unknown; id: unknown; text: unknown } ? Name : never
}[keyof Tables]

export type Kinds<Viewer> = Readonly<Record<string, Kind<Viewer>>>

const [FIRST, SECOND] = [placeholder(1), placeholder(2)]
/** Of a statement that reads texts by id. */
export const OWN_STATEMENT: Scope = { store: FIRST, ids: SECOND }

const ROWS_PER_TURN = 500

/** Renders rows in batches, so that a page with fifty thousand files does not hold up other requests. */
const addTextsOf = async <Viewer>(
  into: Map<string, string>,
  { columns, texts }: RowSource<Viewer>,
  rows: readonly unknown[],
  store: StoreId,
  viewer: Viewer,
): Promise<Map<string, string>> => {
  const names = typeof columns === 'object' && Object.keys(columns)
  let index = 0
  for (const read of rows) {
    if (++index % ROWS_PER_TURN === 0) await nextTurn()
    const row = names ? named(names, read as readonly (string | null)[]) : read
    for (const [id, text] of texts(row as never, store, viewer)) into.set(id, text)
  }
  return into
}

const named = (names: readonly string[], values: readonly (string | null)[]) => {
  const row: Record<string, string | null | undefined> = {}
  for (const [index, name] of names.entries()) row[name] = values[index]
  return row
}

const fromNamed = (table: keyof Tables) => sqlText`from ${t[table]} as ${identifier(table)}`

/** Selects rows as a JSON array. */
const selectRows = <Viewer>(
  { table, columns, storeColumn = sqlText`store_id`, select, joined }: RowSource<Viewer>,
  store: Sql,
  condition: Sql,
  ids?: Sql,
) => {
  const source = joined ? sqlText`${fromNamed(table)} ${joined(store)}` : fromNamed(table)
  const from = sqlText`${source} where ${storeColumn} = ${store} and ${condition}`
  if (typeof columns === 'object') {
    const values = Object.values(columns).map((column) => sqlText`${column}::text`)
    return sqlText`select json_agg(array[${joinSql(values, COMMA)}])::text ${from}`
  }
  const selected = typeof columns === 'string' ? columns : columns(store)
  const rows = select && ids ? select({ store, ids }) : sqlText`select ${selected} ${from}`
  return sqlText`select json_agg(r)::text from (${rows}) r`
}

/** A hole refers to a row by id, and may name a part of its text after a slash. */
export const rowIds = (keys: readonly string[]): string[] => [
  ...new Set(keys.map((key) => key.split('/', 1)[0] as string)),
]

/** A kind of single rows. */
export const rowKind = <Viewer>(rows: RowSource<Viewer>): Kind<Viewer> => ({
  rows,
  render: async (db, store, keys, viewer) => {
    const statement = sqlText`select (${selectRows(rows, FIRST, sqlText`id = any(${SECOND})`, SECOND)}) as found`
    const send = rows.onCoordinator ? onCoordinator : inStore
    const read = await send<{ found: string | null }>(db, store, statement, [store, rowIds(keys)])
    return addTextsOf(new Map(), rows, JSON.parse(read?.found ?? '[]'), store, viewer)
  },
})

/** Counts reads of kept texts that were missing. */
export const missingTexts = { count: 0 }

/** Separates texts that are returned in one value. JSON escapes control characters, so no text contains it. */
const SEPARATOR = '\u0002'
const JOINED_TEXTS = sqlText`string_agg(id || text, E'\\x02')`
const UUID_LENGTH = 36

/** The columns that a statement returned: kept texts, or rows as JSON. */
export type Found = readonly (string | null)[]

/** What a statement selects to read texts: columns, and the CTEs with the ids of each kind. */
interface Selection {
  with: Sql[]
  columns: { kind: string; sql: Sql }[]
}

/** Selects the texts of a kind that meet a condition, and those that fill their holes. */
const selectTexts = <Viewer>(
  kinds: Kinds<Viewer>,
  kind: string,
  store: Sql,
  condition: Sql,
  selection: Selection,
  knownIds?: Sql,
) => {
  const { kept, rows } = kindOf(kinds, kind)
  const source = kept ?? rows
  // Other kinds are rendered when a hole refers to them.
  if (!source) return selection
  const from = sqlText`${fromNamed(source.table)} where store_id = ${store} and ${condition}`
  selection.columns.push({
    kind,
    sql: kept
      ? sqlText`select ${JOINED_TEXTS} ${from}`
      : selectRows(rows as RowSource<Viewer>, store, condition, knownIds),
  })
  const fillings = Object.entries(source.fillings ?? {})
  if (fillings.length === 0) return selection
  const ids = knownIds ?? nameIds(selection, sqlText`select id ${from}`)
  for (const [filling, find] of fillings) {
    const found = find({ store, ids })
    if ('where' in found) selectTexts(kinds, filling, store, found.where, selection)
    else {
      const named = nameIds(selection, found.ids)
      selectTexts(kinds, filling, store, sqlText`id = any(${named})`, selection, named)
    }
  }
  return selection
}

/** Adds a CTE with an array of ids, for use in several columns. */
const nameIds = (selection: Selection, query: Sql): Sql => {
  const name = sqlText`ids_${selection.with.length}`
  selection.with.push(sqlText`${name} as (select array(${query}) as ids)`)
  return sqlText`(select ids from ${name})::uuid[]`
}

const addJoinedTexts = (into: Map<string, string>, joined: string) => {
  for (const entry of joined.split(SEPARATOR)) into.set(entry.slice(0, UUID_LENGTH), entry.slice(UUID_LENGTH))
}

/** How the texts of a kind are selected: as columns of a larger statement, or by a statement of their own. */
export interface TextSelection {
  with: readonly Sql[]
  columns: Selection['columns']
  /** Empty for a kind that is rendered otherwise. */
  sql: Sql
  statement: Sql
}

const composeSelection = <Viewer>(kinds: Kinds<Viewer>, kind: string, { store, ids }: Scope): TextSelection => {
  const selection: Selection = { with: [], columns: [] }
  selectTexts(kinds, kind, store, sqlText`id = any(${ids})`, selection, ids)
  const { with: first, columns } = selection
  const sql = joinSql(namedColumns(columns), COMMA)
  return { with: first, columns, sql, statement: sqlText`${withClause(first)}select ${sql}` }
}

const namedColumns = (columns: Selection['columns']) =>
  columns.map(({ sql }, index) => sqlText`(${sql}) as texts_${index}`)

/** Stores the text of an aggregate, bound as $3, and selects only what fills its holes. */
const composeKeepAndFill = <Viewer>(kinds: Kinds<Viewer>, kind: string) => {
  const selection: Selection = { with: [], columns: [] }
  selectTexts(kinds, kind, FIRST, sqlText`id = any(${SECOND})`, selection, SECOND)
  const { with: first, columns } = selection
  const kept = sqlText`kept as (${storeOne(kindOf(kinds, kind).kept as KeptIn)})`
  const fillings = joinSql(namedColumns(columns).slice(1), COMMA)
  return { columns, statement: sqlText`${withClause([kept, ...first])}select ${fillings}` }
}

const withClause = (queries: readonly Sql[]) =>
  queries.length > 0 ? sqlText`with ${joinSql(queries, COMMA)} ` : sqlText``

/** Composes SQL for kinds once: for a resource of many kinds that takes longer than rendering it. */
const createCache = <Value>() => {
  const cached = new WeakMap<object, Map<string, Value>>()
  return (kinds: object, key: string, compose: () => Value): Value => {
    const known = cached.get(kinds) ?? new Map<string, Value>()
    cached.set(kinds, known)
    const value = known.get(key) ?? compose()
    known.set(key, value)
    return value
  }
}

const cachedSelection = createCache<TextSelection>()
const cachedKeepAndFill = createCache<ReturnType<typeof composeKeepAndFill>>()

export const keepAndFillOf = <Viewer>(kinds: Kinds<Viewer>, kind: string) =>
  cachedKeepAndFill(kinds, kind, () => composeKeepAndFill(kinds, kind))

export const selectionOf = <Viewer>(kinds: Kinds<Viewer>, kind: string, scope: Scope): TextSelection =>
  cachedSelection(kinds, `${kind} ${scope.store} ${scope.ids}`, () => composeSelection(kinds, kind, scope))

/** Texts by kind. Complete for kinds of rows: what holes refer to and is not here does not exist. */
export type Loaded = Map<string, { texts: Map<string, string>; isComplete: boolean }>

export const readColumns = async <Viewer>(
  kinds: Kinds<Viewer>,
  columns: Selection['columns'],
  found: Found,
  store: StoreId,
  viewer: Viewer,
): Promise<Loaded> => {
  const loaded: Loaded = new Map()
  for (const [index, { kind }] of columns.entries()) {
    const { rows } = kindOf(kinds, kind)
    const read = found[index]
    const texts = loaded.get(kind)?.texts ?? new Map<string, string>()
    loaded.set(kind, { texts, isComplete: rows !== undefined })
    if (read === null || read === undefined) continue
    if (rows) await addTextsOf(texts, rows, JSON.parse(read), store, viewer)
    else addJoinedTexts(texts, read)
  }
  return loaded
}

/** The columns with texts in a row that a statement returned. */
export const foundIn = (columns: Selection['columns'], row: Readonly<Record<string, unknown>> = {}): Found =>
  columns.map((_column, index) => textIn(row, index))

export const textIn = (row: Readonly<Record<string, unknown>>, index: number) =>
  (row[`texts_${index}`] ?? null) as string | null

export const kindOf = <Viewer>(kinds: Kinds<Viewer>, name: string): Kind<Viewer> => {
  const kind = kinds[name]
  if (!kind) throw new Error(`There is no kind of text called ${name}.`)
  return kind
}

/** Locks the aggregates, renders them and stores their texts. */
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
  const lock = sqlText`select 1 from ${identifier(kept.of)} where store_id = $1 and id = any($2) order by id for no key update`
  await runSql(db, lock, [store, ids])
  await keep(db, store, ids)
}

/** Inserts or replaces texts. A text that is the same is not written. */
const storeSql = ({ table }: Pick<KeptIn, 'table'>, rows: Sql) =>
  sqlText`insert into ${t[table]} as t (store_id, id, text) ${rows}
    on conflict (store_id, id) do update set text = excluded.text where t.text <> excluded.text`

const storeOne = (kept: Pick<KeptIn, 'table'>) => storeSql(kept, sqlText`values ($1::uuid, ($2::uuid[])[1], $3)`)

/**
 * Stores the texts of aggregates whose rows have changed: the last step of every write. The caller holds the lock of the
 * aggregate, so the next change renders after this one.
 */
export const storeTexts = async (
  db: Tx,
  kept: Pick<KeptIn, 'table'>,
  store: StoreId,
  texts: ReadonlyMap<string, string>,
) => {
  if (texts.size === 0) return
  const [[id, text] = []] = texts
  if (texts.size === 1) await runSql(db, storeSql(kept, sqlText`values ($1::uuid, $2::uuid, $3)`), [store, id, text])
  else
    await runSql(db, storeSql(kept, sqlText`select $1::uuid, * from unnest($2::uuid[], $3::text[])`), [
      store,
      [...texts.keys()],
      [...texts.values()],
    ])
}
