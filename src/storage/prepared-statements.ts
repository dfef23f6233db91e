/**
 * PostgreSQL keeps about 130 bytes for each character of a prepared statement: its parse tree and its plan. This many
 * characters are some hundred usual statements, or sixty of the longest.
 */
const MAX_CHARACTERS = 400_000

/**
 * Names the statements of one connection, so that PostgreSQL parses and plans each only once. When their texts get too
 * long in all, the least recently used are closed: callers can ask for more combinations of filters than memory holds.
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
