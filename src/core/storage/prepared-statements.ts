/**
 * PostgreSQL needs about 130 bytes per character of a prepared statement, for its parse tree and plan. This limit allows
 * a few hundred typical statements, or sixty of the longest.
 */
const MAX_CHARACTERS = 400_000

/**
 * LRU cache of a connection's prepared statements, so that PostgreSQL parses and plans each only once. Bounded by total
 * length: callers can request more combinations of filters than fit into memory.
 */
export class PreparedStatements {
  /** Least recently used first. */
  readonly #names = new Map<string, string>()
  readonly #close: (name: string) => void
  #characters = 0
  #named = 0

  constructor(close: (name: string) => void) {
    this.#close = close
  }

  nameOf(text: string): string {
    const known = this.#names.get(text)
    if (known !== undefined) this.#names.delete(text)
    else {
      this.#characters += text.length
      this.#evict()
    }
    const name = known ?? `s${++this.#named}`
    this.#names.set(text, name)
    return name
  }

  #evict() {
    for (const [text, name] of this.#names) {
      if (this.#characters <= MAX_CHARACTERS) return
      this.#names.delete(text)
      this.#characters -= text.length
      this.#close(name)
    }
  }
}
