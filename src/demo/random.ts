import { createHash } from 'node:crypto'

/** All dates of the demo store are relative to this one, so that each load makes the same rows. */
export const TODAY = Date.UTC(2026, 10, 1, 18, 0, 0)
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** A pseudo-random sequence that is the same for the same seed on every machine. */
export class SeededRandom {
  #state: number

  constructor(name: string) {
    this.#state = createHash('sha256').update(`demo store, ${name}`).digest().readUInt32LE()
  }

  /** From 0 to below 1 (mulberry32). */
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

  /** A random key; the values are weights. */
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

/** A UUIDv7 whose random part is derived from the key. */
export const seededId = (kind: string, key: string | number, at: number) => {
  const hash = createHash('sha256').update(`demo store, ${kind} ${key}`).digest('hex')
  const hex = `${at.toString(16).padStart(12, '0')}7${hash.slice(0, 3)}a${hash.slice(3, 18)}`
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
