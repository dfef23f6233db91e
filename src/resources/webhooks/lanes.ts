/** One queue per resource: an item is sent once the one before it is done. */
export class Lanes<Item extends { resource: string }> {
  readonly #queues = new Map<string, Item[]>()
  readonly #ready: Item[] = []
  readonly #busy = new Set<string>()

  /** Being sent. */
  get inFlight() {
    return this.#busy.size
  }

  /** May be sent now, in order. */
  get ready(): readonly Item[] {
    return this.#ready
  }

  has(resource: string) {
    return this.#busy.has(resource) || this.#queues.has(resource)
  }

  add(item: Item) {
    const queue = this.#queues.get(item.resource)
    if (queue) queue.push(item)
    else {
      this.#queues.set(item.resource, [item])
      if (!this.#busy.has(item.resource)) this.#ready.push(item)
    }
  }

  /** Takes the next item to be sent. */
  start(): Item | undefined {
    const item = this.#ready.shift()
    if (item) this.#busy.add(item.resource)
    return item
  }

  /** The next item of the resource may be sent. */
  finish(item: Item) {
    this.#busy.delete(item.resource)
    const queue = this.#queues.get(item.resource)
    if (queue?.[0] === item) queue.shift()
    const next = queue?.[0]
    if (next) this.#ready.push(next)
    else this.#queues.delete(item.resource)
  }

  /** Removes and returns the items queued behind one that is being sent. */
  takeBehind(item: Item): Item[] {
    const behind = (this.#queues.get(item.resource) ?? []).filter((other) => other !== item)
    this.#queues.set(item.resource, [item])
    return behind
  }

  /** Empties the list of items that are ready to be sent. */
  holdReady() {
    this.#ready.length = 0
  }

  /** Drops all items except those being sent. */
  clear() {
    this.#queues.clear()
    this.holdReady()
  }
}
