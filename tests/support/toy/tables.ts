import type { Generated } from 'kysely'

declare module '../../../src/core/storage/tables.ts' {
  interface Tables {
    discount: {
      store_id: string
      id: Generated<string>
      code: string
      status: Generated<'active' | 'ended'>
      product_id: string | null
      created_at: Generated<Date>
    }
  }
}
