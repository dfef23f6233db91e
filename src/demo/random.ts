import { createHash } from 'node:crypto'

/** Every date of the demo store is reckoned from here, so that each load writes the same rows. */
export const TODAY = Date.UTC(2026, 10, 1, 18, 0, 0)
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The same draws in the same sequence for the same name, on every machine. */
export class SeededRandom {
  #state: number

  constructor(name: string) {
    this.#state = createHash('sha256').update(`demo store, ${name}`).digest().readUInt32LE()
  }

  /** From 0, below 1 (mulberry32). */
  next = () => {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  below = (limit: number) => Math.floor(this.next() * limit)
  between = (least: number, most: number) => least + this.below(most - least + 1)
  chance = (share: number) => this.next() < share
  pick = <T>(list: readonly T[]) => list[this.below(list.length)] as T

  /** One of the keys, each as often as its number says. */
  weighted = <K extends string>(weights: Record<K, number>) => {
    const entries = Object.entries<number>(weights) as [K, number][]
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [key, weight] of entries) {
      left -= weight
      if (left < 0) return key
    }
    return (entries.at(-1) as [K, number])[0]
  }

  digits = (count: number) => Array.from({ length: count }, () => this.below(10)).join('')
}

/** An id in the form of the service's own: the time first, then what looks random and is not. */
export const seededId = (kind: string, key: string | number, at: number) => {
  const hash = createHash('sha256').update(`demo store, ${kind} ${key}`).digest('hex')
  const hex = `${at.toString(16).padStart(12, '0')}7${hash.slice(0, 3)}a${hash.slice(3, 18)}`
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
