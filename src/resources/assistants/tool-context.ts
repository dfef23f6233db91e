import type pg from 'pg'
import type { Caller } from '../../core/http/access.ts'
import type { OpenApiDocument } from '../../core/openapi/document.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { CallApi } from './call-api.ts'
import type { Operations } from './operations.ts'

/** What a tool works with, for one call. */
export interface ToolContext {
  db: Db
  connect: () => Promise<pg.PoolClient>
  /** Signs plans. */
  key: Buffer
  store: StoreId
  caller: Caller
  permissions: ReadonlySet<string>
  mode: 'read' | 'write'
  operations: Operations
  callApi: CallApi
  document: () => OpenApiDocument
  /** The address of a page of the console, by its path below that of the store. */
  storePage: (path: string) => string
}
