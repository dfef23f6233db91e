import type { LineFields } from '../http/resource.ts'

export const isFields = (value: unknown): value is LineFields =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
