/** A map that drops its oldest entry when a new one would be too many. */
export class LimitedMap<K, V> extends Map<K, V> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override set(key: K, value: V) {
    if (this.size >= this.#most && !this.has(key)) this.delete(this.keys().next().value as K)
    return super.set(key, value)
  }
}
