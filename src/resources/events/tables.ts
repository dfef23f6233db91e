import type { Generated } from 'kysely'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    /** Changes that have no position yet. */
    change: {
      store_id: StoreId
      n: Generated<number>
      xact: Generated<string>
      kind: string
      resource_id: string
      op: 'c' | 'u' | 'd' | 'n'
      action: Generated<string | null>
      changed: Generated<string[]>
      previous: Generated<unknown>
      app_id: Generated<string | null>
      installation_id: Generated<string | null>
      at: Generated<Date>
      account_id: Generated<string | null>
      via: Generated<'assistant' | null>
      trace: Generated<string | null>
    }
    feed: {
      store_id: StoreId
      id: Generated<string>
      last: Generated<number>
      swept: Generated<number>
      floor_n: Generated<number>
      next_n: Generated<number>
      next_xid: Generated<string>
    }
    event: {
      store_id: StoreId
      position: number
      n: number
      kind: string
      action: string
      resource_id: string
      changed: string[]
      previous: unknown
      app_id: string | null
      installation_id: string | null
      at: Date
      account_id: string | null
      via: 'assistant' | null
      trace: string | null
    }
  }
}
