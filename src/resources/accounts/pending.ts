/**
 * What a session waits for before anything else: to give the second factor of its account, or to set one up where one is
 * required.
 */
export const PENDING = ['verify', 'enrol'] as const
export type Pending = (typeof PENDING)[number]
