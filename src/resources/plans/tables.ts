import type { ColumnType } from 'kysely'
import type { Defaulted, Id, Money, Nullable, Time } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { Limits } from './limit-names.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    plan: {
      id: Id
      name: string
      price: Money
      currency: string
      period: Defaulted<'month' | 'year'>
      limits: ColumnType<Limits, string | undefined, string>
      is_offered: Defaulted<boolean>
      created_at: Time
    }
    subscription: {
      store_id: StoreId
      plan_id: string
      anchor: Time
      periods: Defaulted<number>
      period_start: Time
      period_end: Time
      next_plan_id: Nullable<string>
      /** What a whole period costs, as it was invoiced. */
      price: Nullable<string>
      created_at: Time
    }
    order_use: { store_id: StoreId; month: string; used: number }
  }
}
