import type { TextRequest } from './holes.ts'

/** The columns that a statement returned: kept texts, or rows as JSON. */
export type Found = readonly (string | null)[]

/** Texts that were read, and what the statement returned. */
export interface Load extends TextRequest {
  found: Found
}

/** Texts with filled holes, and everything that they were made of. */
interface Reading {
  loads: readonly Load[]
  texts: readonly string[]
}

/** In characters, of all readings and of one. */
const MAX_SIZE = 8 * 2 ** 20
const MAX_READING = 2 ** 18

export const isSameFound = (one: Found, other: Found | undefined): boolean =>
  one.length === other?.length && one.every((value, place) => value === other[place])

const sizeOf = (texts: Found) => texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)

/**
 * Remembers the last texts that were made of what the database returned. Every read still asks the database: if it returns
 * the same again, so does this, without parsing rows and filling holes. Nothing has to be invalidated.
 */
export const createRememberedTexts = (maxSize = MAX_SIZE) => {
  /** The least recently used first. Without a reading, if it was read once: most texts are not read again. */
  const readings = new Map<string, { reading?: Reading; size: number }>()
  let size = 0

  const remove = (key: string) => {
    size -= readings.get(key)?.size ?? 0
    readings.delete(key)
  }
  const add = (key: string, entry: { reading?: Reading; size: number }) => {
    remove(key)
    readings.set(key, entry)
    size += entry.size
    for (const oldest of readings.keys()) {
      if (size <= maxSize) break
      remove(oldest)
    }
  }

  return {
    get: (key: string): Reading | undefined => {
      const entry = readings.get(key)
      if (entry) add(key, entry)
      return entry?.reading
    },
    /** Remembers a reading, from the second one under the same key. */
    set: (key: string, reading: Reading) => {
      if (!readings.has(key)) return add(key, { size: key.length })
      const size = key.length + sizeOf(reading.loads.flatMap(({ found }) => found)) + sizeOf(reading.texts)
      if (size <= MAX_READING) add(key, { reading, size })
      else remove(key)
    },
    size: () => size,
  }
}

export type RememberedTexts = ReturnType<typeof createRememberedTexts>
