import type { Client } from '../../api/store.tsx'

export type Parcel = Awaited<ReturnType<Client['parcels']['list']>>['parcels'][number]
export type CashRow = Pick<Parcel, 'id' | 'currency' | 'cash_owed' | 'cash_received'>
export type CashAct = 'receive' | 'takeBack'

/** Which parcels it can be done to, the filter of the list that finds all of them, and how much cash it is about. */
export const CASH_ACTS = {
  receive: {
    can: ({ cash_owed }: CashRow) => cash_owed > 0,
    filter: 'owed',
    amount: ({ cash_owed }: CashRow) => cash_owed,
  },
  takeBack: {
    can: ({ cash_received }: CashRow) => cash_received !== null,
    filter: 'received',
    amount: ({ cash_received }: CashRow) => cash_received ?? 0,
  },
} as const
