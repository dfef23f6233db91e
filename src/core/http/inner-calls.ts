import { AsyncLocalStorage } from 'node:async_hooks'
import type { Rehearsal } from '../storage/database-caller.ts'

/** The resource that a rehearsed write changes, before and after, as JSON text. */
export interface SeenVersion {
  before: string
  etag: string
  after: string
}

/** A request that the service sends to itself, on behalf of the caller of another one. */
interface InnerCall {
  via: 'assistant'
  /** The trace of that request, as a `traceparent`. */
  trace?: string | undefined
  rehearsal?: Rehearsal | undefined
  /** Called by a rehearsed write that takes If-Match. */
  sees?: ((version: SeenVersion) => void) | undefined
}

export const innerCalls = new AsyncLocalStorage<InnerCall>()
