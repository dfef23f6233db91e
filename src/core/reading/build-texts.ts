import { type Db, transact } from '../storage/database.ts'
import { identifier, sqlText } from '../storage/sql.ts'
import { runSql } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { createReader } from './reader.ts'
import { type KeptIn, type Kind, type Kinds, keepTexts } from './texts.ts'

/** The setting that records which kinds have all their texts, so that a start need not search for missing ones. */
const BUILT = 'kept_texts'

const BATCH = 200

interface Key {
  store_id: StoreId
  id: string
}

const START: Key = {
  store_id: '00000000-0000-0000-0000-000000000000' as StoreId,
  id: '00000000-0000-0000-0000-000000000000',
}

type KeptKind = [name: string, kept: KeptIn]

const keptKinds = <Viewer>(kinds: Kinds<Viewer>): KeptKind[] =>
  Object.entries(kinds).flatMap(([name, { kept }]) => (kept ? [[name, kept] satisfies KeptKind] : []))

const builtKinds = <Viewer>(kinds: Kinds<Viewer>) =>
  keptKinds(kinds)
    .map(([name]) => name)
    .join()

/** The next rows after `after`, sorted by store. */
const nextKeys = (db: Db, { table, of }: KeptIn, after: Key, missingOnly: boolean) =>
  runSql<Key>(
    db,
    sqlText`select a.store_id, a.id from ${identifier(of)} a where (a.store_id, a.id) > ($1::uuid, $2::uuid)
      ${missingOnly ? sqlText`and not exists (select 1 from ${identifier(table)} t where t.store_id = a.store_id and t.id = a.id)` : sqlText``}
      order by a.store_id, a.id limit ${BATCH}`,
    [after.store_id, after.id],
  )

const byStore = (keys: readonly Key[]): Map<StoreId, string[]> => {
  const stores = new Map<StoreId, string[]>()
  for (const { store_id, id } of keys) stores.set(store_id, [...(stores.get(store_id) ?? []), id])
  return stores
}

const renew = async <Viewer>(db: Db, kinds: Kinds<Viewer>, name: string, keys: readonly Key[]) => {
  for (const [store, ids] of byStore(keys)) await transact(db, (db) => keepTexts(db, kinds, name, store, ids))
}

/** Renders and stores every missing text, in batches, while the service is running. */
export const buildMissingTexts = async <Viewer>(db: Db, kinds: Kinds<Viewer>, say: (line: string) => void) => {
  for (const [name, kept] of keptKinds(kinds)) {
    let built = 0
    for (let last = START; ; ) {
      const keys = await nextKeys(db, kept, last, true)
      if (keys.length === 0) break
      await renew(db, kinds, name, keys)
      last = keys.at(-1) as Key
      built += keys.length
      if (built % (BATCH * 50) === 0) say(`Texts of ${name}: ${built} written.`)
    }
    if (built > 0) say(`Texts of ${name}: ${built} written.`)
  }
  await runSql(
    db,
    sqlText`insert into setting (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value`,
    [BUILT, builtKinds(kinds)],
  )
}

/** Builds missing texts at start, if a new release keeps more kinds or rows were loaded by other means. */
export const buildTextsOnce = async <Viewer>(db: Db, kinds: Kinds<Viewer>, say: (line: string) => void) => {
  const [row] = await runSql<{ value: string }>(db, sqlText`select value from setting where name = $1`, [BUILT])
  if (row?.value !== builtKinds(kinds)) await buildMissingTexts(db, kinds, say)
}

/** Call this in the transaction of a bulk load: the next start then searches for missing texts. */
export const recordMissingTexts = (db: Db) => runSql(db, sqlText`delete from setting where name = $1`, [BUILT])

interface TextsReport {
  kind: string
  checked: number
  missing: number
  /** Texts that differ from their rows. */
  wrong: number
}

/** The approximate size of a sample. */
const SAMPLE = 500

const sampleKeys = (db: Db, { of }: KeptIn) =>
  runSql<Key>(
    db,
    sqlText`select a.store_id, a.id from ${identifier(of)} a tablesample system ((
      select least(100, greatest(0.01, 100.0 * ${SAMPLE} / greatest(1, c.reltuples))) from pg_class c
      where c.oid = '${identifier(of)}'::regclass)) limit ${SAMPLE}`,
    [],
  )

type Fault = Key & { fault: 'missing' | 'wrong' }

/** Compares kept texts with texts rendered from the rows, both in one snapshot. */
const compare = async <Viewer>(db: Db, kinds: Kinds<Viewer>, name: string, keys: readonly Key[], viewer: Viewer) => {
  const { render, kept } = kinds[name] as Kind<Viewer> & { kept: KeptIn }
  const faults: Fault[] = []
  for (const [store, ids] of byStore(keys))
    await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (db) => {
        const { fill } = createReader(kinds, store, viewer)
        const rendered = await render(db, store, ids, viewer)
        const text = sqlText`select id, text from ${identifier(kept.table)} where store_id = $1 and id = any($2)`
        const found = new Map(
          (await runSql<{ id: string; text: string }>(db, text, [store, ids])).map(({ id, text }) => [id, text]),
        )
        for (const [id, right] of rendered) {
          const shown = found.get(id)
          if (shown === undefined) faults.push({ store_id: store, id, fault: 'missing' })
          else if (shown !== right) {
            // A hole may refer to something that was deleted since, so compare what a reader sees.
            const [one, other] = await fill(db, [shown, right])
            if (one !== other) faults.push({ store_id: store, id, fault: 'wrong' })
          }
        }
      })
  return faults
}

/** Compares a sample of the kept texts, or all, with their rows. With `repair`, renders those that differ again. */
export const checkTexts = async <Viewer>(
  db: Db,
  kinds: Kinds<Viewer>,
  viewer: Viewer,
  { all, repair }: { all: boolean; repair: boolean },
): Promise<TextsReport[]> => {
  const reports: TextsReport[] = []
  for (const [kind, kept] of keptKinds(kinds)) {
    const report = { kind, checked: 0, missing: 0, wrong: 0 }
    const check = async (keys: readonly Key[]) => {
      const faults = await compare(db, kinds, kind, keys, viewer)
      report.checked += keys.length
      for (const { fault } of faults) report[fault]++
      if (repair) await renew(db, kinds, kind, faults)
    }
    if (all) {
      for (let last = START; ; ) {
        const keys = await nextKeys(db, kept, last, false)
        if (keys.length === 0) break
        await check(keys)
        last = keys.at(-1) as Key
      }
    } else await check(await sampleKeys(db, kept))
    reports.push(report)
  }
  return reports
}
