import { createExistenceCheck } from '../reading/single-row.ts'
import type {} from './tables.ts'

export const bundleExists = createExistenceCheck('bundle')
