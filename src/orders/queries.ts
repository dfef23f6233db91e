import { createExistenceCheck } from '../reading/single-row.ts'

export const orderExists = createExistenceCheck('orders')
