import { ApiError, invalid } from '../../errors.ts'

/** A place in a store's feed: right behind the event at `position`, whose `n` proves that it is still the same event. */
export interface Cursor {
  feed: string
  position: number
  n: number
}

export const encodeCursor = ({ feed, position, n }: Cursor): string =>
  Buffer.from(`${feed}.${position}.${n}`).toString('base64url')

const CURSOR = /^([0-9a-f]{12})\.(\d{1,15})\.(\d{1,15})$/

export const decodeCursor = (text: string, field = 'cursor'): Cursor => {
  const [, feed, position, n] = CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  if (!feed) throw invalid({ [field]: ['must be a cursor of this feed, or now'] })
  return { feed, position: Number(position), n: Number(n) }
}

export const cursorExpired = () => new ApiError('cursor_expired')

export const eventId = (feed: string, position: number) => `evt_${feed}_${position}`

const EVENT_ID = /^evt_([0-9a-f]{12})_(\d{1,15})$/

export const parseEventId = (text: string): { feed: string; position: number } | undefined => {
  const [, feed, position] = EVENT_ID.exec(text) ?? []
  return feed ? { feed, position: Number(position) } : undefined
}
