import { createExistenceCheck } from '../reading/find-one.ts'
import type {} from './tables.ts'

export const bundleExists = createExistenceCheck('bundle')
