import type { StoredEvent } from '../events/read-events.ts'
import type { Result } from './deliveries.ts'

/** Results that are not stored yet. */
export class ResultBuffer {
  #results: Result[] = []
  #dropped: number[] = []
  #finished: StoredEvent[] = []

  get length() {
    return this.#results.length + this.#dropped.length
  }

  add(result: Result) {
    this.#results.push(result)
  }

  /** A waiting event that the webhook no longer wants. */
  drop(event: StoredEvent) {
    this.#dropped.push(event.position)
    this.#finished.push(event)
  }

  /** An event that waited is done: the next of its resource is due. */
  finish(event: StoredEvent) {
    this.#finished.push(event)
  }

  /** Positions with a result to be stored. */
  positions() {
    return new Set([...this.#results.map(({ position }) => position), ...this.#dropped])
  }

  take() {
    const taken = { results: this.#results, dropped: this.#dropped, finished: this.#finished }
    this.#results = []
    this.#dropped = []
    this.#finished = []
    return taken
  }
}
