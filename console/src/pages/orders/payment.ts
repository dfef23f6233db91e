import type { Order } from './labels.ts'

/** Unless the customer chose to pay in another way. */
export const isPaidAtTheDoor = ({ payment_method }: Pick<Order, 'payment_method'>) =>
  payment_method?.payment_types.includes('cod') ?? true
