import type { LineFields } from '../../core/http/resource.ts'

export const isFields = (value: unknown): value is LineFields =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
