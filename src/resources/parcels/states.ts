/** What the console uses too: this file imports nothing. */

/** The status of the delivery, or what becomes of it once it is sent back. */
export const PARCEL_STATES = [
  'unfulfilled',
  'fulfilled',
  'shipped',
  'delivered',
  'returning',
  'returned',
  'cancelled',
] as const
export type ParcelState = (typeof PARCEL_STATES)[number]

export const RESULTS = ['shipped', 'delivered', 'returning', 'returned'] as const
export type Result = (typeof RESULTS)[number]

/** Of one request: each changes an order, which takes a few milliseconds. */
export const MAX_RESULTS = 200
export const MAX_CASH_PARCELS = 200
