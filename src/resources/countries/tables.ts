export {}

declare module '../../core/storage/tables.ts' {
  interface Tables {
    country: { id: string; iso3: string; name: string; phone_code: string; currency: string }
  }
}
