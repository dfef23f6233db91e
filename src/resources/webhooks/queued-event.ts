import type { StoredEvent } from '../events/read-events.ts'
import type { WaitingDelivery } from './deliveries.ts'

/** An event that is to be sent. */
export interface QueuedEvent {
  event: StoredEvent
  /** Events with the same key are sent one after the other. */
  resource: string
  /** It has a row in `webhook_delivery` already. */
  isNoted: boolean
  attempts: number
  /** Of the first attempt, in milliseconds since 1970. */
  firstAt: number | undefined
  replay: boolean
}

export const resourceOf = ({ kind, resource_id }: { kind: string; resource_id: string }) => `${kind} ${resource_id}`

export const newEvent = (event: StoredEvent, resource: string): QueuedEvent => ({
  event,
  resource,
  isNoted: false,
  attempts: 0,
  firstAt: undefined,
  replay: false,
})

export const waitingEvent = (row: WaitingDelivery, resource: string): QueuedEvent => ({
  event: row,
  resource,
  isNoted: true,
  attempts: row.attempts,
  firstAt: row.first_at?.getTime(),
  replay: row.replay,
})
