import { createExistenceCheck } from '../reading/find-one.ts'

export const orderExists = createExistenceCheck('orders')
