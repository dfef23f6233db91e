import type { Money, Nullable, Time } from '../../core/storage/columns.ts'

interface Counted {
  store_id: string
  key: string
  currency: string
  at: Time
}

declare module '../../core/storage/tables.ts' {
  interface Tables {
    analytic_change: Counted & { kind: string; times: number; counts: unknown }
    /** Has a column for each sum of merge-changes.ts. */
    analytic_total: Counted & { kind: string; span: string }
    product_sales: Counted & {
      span: string
      ordered_units: Nullable<number>
      units: Nullable<number>
      gross: Money
    }
  }
}
