import { expect } from 'vitest'
import { createFileUrls, type FileUrls } from '../../src/files/file-urls.ts'
import { kinds } from '../../src/kinds.ts'
import { checkTexts } from '../../src/reading/build-texts.ts'
import type { Db } from '../../src/storage/database.ts'

/** A caller who may see everything. */
export const VIEWER: FileUrls = {
  ...createFileUrls('http://shop.example/files', Buffer.alloc(32), 3600),
  showsSold: true,
}

/** Renders every aggregate from its rows and compares the result with its kept text. */
export const expectTextsToFitRows = async (db: Db) => {
  for (const { kind, checked, ...faults } of await checkTexts(db, kinds, VIEWER, { all: true, repair: false }))
    expect({ kind, ...faults, any: checked > 0 }).toEqual({ kind, missing: 0, wrong: 0, any: true })
}
