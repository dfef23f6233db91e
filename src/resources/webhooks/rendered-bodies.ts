import type { StoredEvent } from '../events/read-events.ts'
import type { Payload } from '../events/render.ts'

const RENDERED_AT_ONCE = 20
/** Bodies older than this are rendered again before they are sent. */
const MAX_AGE_MS = 2_000

interface Body {
  bytes: Buffer
  at: number
  payload: Payload
}

type RenderEvents = (events: StoredEvent[], payload: Payload) => Promise<string[]>

/** Bodies of requests, rendered shortly before they are sent, several at once. */
export class RenderedBodies<Item extends { event: StoredEvent }> {
  readonly #renderEvents: RenderEvents
  readonly #bodies = new WeakMap<Item, Body>()
  /** Being sent, but not rendered yet. */
  readonly #wanted = new Set<Item>()
  #rendering: Promise<void> | undefined

  constructor(renderEvents: RenderEvents) {
    this.#renderEvents = renderEvents
  }

  /** The body of an item; those that are sent next are rendered with it. */
  async of(item: Item, payload: () => Payload, next: readonly Item[]): Promise<Buffer> {
    this.#wanted.add(item)
    try {
      for (;;) {
        const body = this.#fresh(item, payload())
        if (body) return body.bytes
        this.#rendering ??= this.#render(item, payload(), next).finally(() => {
          this.#rendering = undefined
        })
        await this.#rendering
      }
    } finally {
      this.#wanted.delete(item)
    }
  }

  #fresh(item: Item, payload: Payload) {
    const body = this.#bodies.get(item)
    return body && performance.now() - body.at < MAX_AGE_MS && body.payload === payload ? body : undefined
  }

  async #render(item: Item, payload: Payload, next: readonly Item[]) {
    const stale = next.slice(0, RENDERED_AT_ONCE).filter((other) => !this.#fresh(other, payload))
    const batch = [...new Set([item, ...this.#wanted, ...stale])].slice(0, RENDERED_AT_ONCE)
    const texts = await this.#renderEvents(
      batch.map(({ event }) => event),
      payload,
    )
    const at = performance.now()
    for (const [index, text] of texts.entries())
      this.#bodies.set(batch[index] as Item, { bytes: Buffer.from(text), at, payload })
  }
}
