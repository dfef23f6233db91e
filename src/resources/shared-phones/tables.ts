declare module '../../core/storage/tables.ts' {
  interface Tables {
    shared_phone: {
      store_id: string
      key: Buffer
      orders: number
      delivered: number
      returned: number
      made_on: string
    }
  }
}
