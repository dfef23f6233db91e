import { expect } from 'vitest'
import { kinds } from '../../src/app.ts'
import { checkTexts } from '../../src/core/reading/build-texts.ts'
import type { Db } from '../../src/core/storage/database.ts'
import { sqlText } from '../../src/core/storage/sql.ts'
import { runSql } from '../../src/core/storage/statement.ts'
import type { StoreId } from '../../src/core/storage/store-id.ts'
import { createFileUrls, type FileUrls } from '../../src/resources/files/file-urls.ts'

/** A caller who may see everything. */
export const VIEWER: FileUrls = {
  ...createFileUrls('http://shop.example/files', Buffer.alloc(32), 3600),
  showsSold: true,
}

/** Renders every aggregate from its rows and compares the result with its kept text. */
export const expectTextsToFitRows = async (db: Db) => {
  const reports = await checkTexts(db, kinds, VIEWER, { all: true, repair: false })
  for (const { kind, missing, wrong } of reports)
    expect({ kind, missing, wrong }).toEqual({ kind, missing: 0, wrong: 0 })
  expect(reports.some(({ checked }) => checked > 0)).toBe(true)
}

/** The same for the orders of one store, by a single statement on either side. */
export const expectOrderTextsToFitRows = async (db: Db, store: string) => {
  const text = sqlText`select o.id, t.text from orders o left join order_text t using (store_id, id) where o.store_id = $1`
  const kept = await runSql<{ id: string; text: string | null }>(db, text, [store])
  const ids = kept.map(({ id }) => id)
  const rendered = (await kinds.order?.render(db, store as StoreId, ids, VIEWER)) ?? new Map()
  expect(kept.map(({ text }) => text)).toEqual(ids.map((id) => rendered.get(id)))
}
