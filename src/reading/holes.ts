import { MAX_RESULT_BYTES, ResultTooLargeError } from '../storage/result-limit.ts'

/**
 * A hole in a text stands for the text of something else. JSON escapes control characters, so that no text of a shop can
 * contain this mark.
 */
const MARK = '\u0001'

/** The text of that one, or null where there is none. */
export const hole = (kind: string, id: string | null): string => (id === null ? 'null' : `${MARK}${kind}=${id}${MARK}`)

/** The texts of those that exist, separated by commas: the elements of an array. */
export const holes = (kind: string, ids: readonly string[]): string =>
  ids.length === 0 ? '' : `${MARK}${kind}*${ids.join()}${MARK}`

/** The text of the first that exists, or null. */
export const firstHole = (kind: string, ids: readonly string[]): string =>
  ids.length === 0 ? 'null' : `${MARK}${kind}?${ids.join()}${MARK}`

interface Hole {
  kind: string
  form: string
  ids: string[]
}

const HOLE = /^([a-z_]+)([=*?])(.+)$/

const parseHole = (text: string): Hole => {
  const [, kind, form, ids] = HOLE.exec(text) as unknown as [string, string, string, string]
  return { kind, form, ids: ids.split(',') }
}

/** A text cut at its marks: what stands at an odd place is a hole. */
type Piece = string | Hole
const cut = (text: string): Piece[] =>
  text.split(MARK).map((piece, place) => (place % 2 === 0 ? piece : parseHole(piece)))

/** Texts of one kind by id; what does not exist is not in the map. They may have holes of their own. */
export type LoadTexts = (kind: string, ids: string[]) => Promise<Map<string, string>>

type Loaded = Map<string, Map<string, Piece[]>>

/** More levels than kinds can be nested in each other: two kinds that contain each other are a mistake. */
const MAX_LEVELS = 8

/** What the pieces ask for that is not there yet, by kind. */
const missing = (pieces: Iterable<Piece[]>, loaded: Loaded): Map<string, Set<string>> => {
  const wanted = new Map<string, Set<string>>()
  for (const piece of pieces)
    for (const part of piece) {
      if (typeof part === 'string') continue
      const known = loaded.get(part.kind)
      for (const id of part.ids) {
        if (known?.has(id)) continue
        const ids = wanted.get(part.kind) ?? new Set()
        wanted.set(part.kind, ids.add(id))
      }
    }
  return wanted
}

/** Loads level by level, one call for each kind: a thousand holes cost as many statements as there are kinds. */
const loadAll = async (pieces: Piece[][], load: LoadTexts, loaded: Loaded): Promise<Loaded> => {
  let next: Iterable<Piece[]> = pieces
  for (let level = 0; ; level++) {
    const wanted = missing(next, loaded)
    if (wanted.size === 0) return loaded
    if (level === MAX_LEVELS) throw new Error(`Texts contain each other: ${[...wanted.keys()].join(', ')}.`)
    const found: Piece[][] = []
    await Promise.all(
      [...wanted].map(async ([kind, ids]) => {
        const texts = await load(kind, [...ids])
        const known = loaded.get(kind) ?? new Map<string, Piece[]>()
        loaded.set(kind, known)
        for (const id of ids) {
          const text = texts.get(id)
          const piece = text === undefined ? NOTHING : cut(text)
          known.set(id, piece)
          found.push(piece)
        }
      }),
    )
    next = found
  }
}

/** Stands for a text that was requested and does not exist. */
const NOTHING: Piece[] = []

/** By kind, texts that are at hand. What the holes of a kind ask for and is not among its texts does not exist. */
export type Fillings = ReadonlyMap<string, ReadonlyMap<string, string>>

const atHand = (pieces: Piece[][], fillings: Fillings): Loaded => {
  const loaded: Loaded = new Map()
  for (const [kind, texts] of fillings) loaded.set(kind, new Map([...texts].map(([id, text]) => [id, cut(text)])))
  for (const [kind, ids] of missing(pieces, loaded)) {
    const known = loaded.get(kind)
    if (known) for (const id of ids) known.set(id, NOTHING)
  }
  return loaded
}

/** Fills the holes of these texts, and those of the texts that fill them. */
export const fillHoles = async (
  texts: readonly string[],
  load: LoadTexts,
  fillings: Fillings = new Map(),
): Promise<string[]> => {
  if (texts.every((text) => !text.includes(MARK))) return [...texts]
  const pieces = texts.map(cut)
  const loaded = await loadAll(pieces, load, atHand(pieces, fillings))
  let length = 0
  const fill = (parts: Piece[]): string =>
    parts.map((part) => (typeof part === 'string' ? part : fillOne(part))).join('')
  const fillOne = ({ kind, form, ids }: Hole): string => {
    const known = loaded.get(kind)
    const found = ids.flatMap((id) => {
      const text = known?.get(id)
      return text && text !== NOTHING ? [text] : []
    })
    if (form === '*') return found.map(fill).join()
    return found[0] ? fill(found[0]) : 'null'
  }
  return pieces.map((parts) => {
    const filled = fill(parts)
    length += filled.length
    // Texts are shared until here: only the answer repeats them.
    if (length > MAX_RESULT_BYTES) throw new ResultTooLargeError(`The answer has more than ${MAX_RESULT_BYTES} bytes.`)
    return filled
  })
}
