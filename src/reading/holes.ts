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

/** A text cut at its marks: what stands at an odd place is a hole. A text without holes stays whole. */
type Cut = string | (string | Hole)[]

const cut = (text: string): Cut =>
  text.includes(MARK) ? text.split(MARK).map((piece, place) => (place % 2 === 0 ? piece : parseHole(piece))) : text

/** Loads texts of one kind, and possibly others that fill their holes. What does not exist is left out. */
export type LoadTexts = (kind: string, ids: string[]) => Promise<Fillings>

/** Texts by kind. They may have holes of their own. */
export type Fillings = ReadonlyMap<string, Filling>

export interface Filling {
  texts: ReadonlyMap<string, string>
  /** What the texts that came with it ask for of this kind and is not among its texts does not exist. */
  isComplete: boolean
}

/** More levels than kinds can be nested in each other: two kinds that contain each other are a mistake. */
const MAX_LEVELS = 8

/** The texts of one kind that fill holes; null stands for one that does not exist. */
type Known = Map<string, Cut | null>

const readFillings = (fillings: Fillings): Map<string, Known> =>
  new Map([...fillings].map(([kind, { texts }]) => [kind, new Map([...texts].map(([id, text]) => [id, cut(text)]))]))

const knownOf = (known: Map<string, Known>, kind: string): Known => {
  const texts = known.get(kind) ?? new Map()
  known.set(kind, texts)
  return texts
}

/** Adds what was loaded, and notes what its texts ask for in vain. */
const addLoaded = (known: Map<string, Known>, loaded: Fillings) => {
  const added: Cut[] = []
  for (const [kind, { texts }] of loaded) {
    const ofKind = knownOf(known, kind)
    for (const [id, text] of texts) {
      if (ofKind.has(id)) continue
      const pieces = cut(text)
      ofKind.set(id, pieces)
      added.push(pieces)
    }
  }
  for (const text of added) {
    if (typeof text === 'string') continue
    for (const piece of text) {
      if (typeof piece === 'string' || !loaded.get(piece.kind)?.isComplete) continue
      const ofKind = knownOf(known, piece.kind)
      for (const id of piece.ids) if (!ofKind.has(id)) ofKind.set(id, null)
    }
  }
}

/**
 * Fills the holes of these texts, and those of the texts that fill them. What is not at hand is loaded, level by level, with
 * one call for each kind: a thousand holes cost as many statements as there are kinds.
 */
export const fillHoles = async (
  texts: readonly string[],
  load: LoadTexts,
  fillings: Fillings = new Map(),
): Promise<string[]> => {
  const cuts = texts.map(cut)
  if (cuts.every((text) => typeof text === 'string')) return [...texts]
  const known = readFillings(fillings)
  for (let level = 0; ; level++) {
    // What has been loaded since may ask for more.
    const isComplete = (kind: string) => level === 0 && fillings.get(kind)?.isComplete === true
    const { filled, missing } = fillWith(cuts, known, isComplete)
    if (missing.size === 0) return filled
    if (level === MAX_LEVELS) throw new Error(`Texts contain each other: ${[...missing.keys()].join(', ')}.`)
    await Promise.all(
      [...missing].map(async ([kind, ids]) => {
        addLoaded(known, await load(kind, [...ids]))
        const texts = knownOf(known, kind)
        for (const id of ids) if (!texts.has(id)) texts.set(id, null)
      }),
    )
  }
}

/** Fills with what is known so far, and notes what is missing. */
const fillWith = (cuts: readonly Cut[], known: ReadonlyMap<string, Known>, isComplete: (kind: string) => boolean) => {
  const missing = new Map<string, Set<string>>()
  const note = (kind: string, id: string) => {
    const ids = missing.get(kind)
    if (ids) ids.add(id)
    else missing.set(kind, new Set([id]))
  }
  const fill = (text: Cut): string => {
    if (typeof text === 'string') return text
    let filled = ''
    for (const piece of text) filled += typeof piece === 'string' ? piece : fillOne(piece)
    return filled
  }
  const fillOne = ({ kind, form, ids }: Hole): string => {
    const texts = known.get(kind)
    let filled = ''
    for (const id of ids) {
      const text = texts?.get(id)
      if (text === undefined) {
        if (isComplete(kind)) texts?.set(id, null)
        else note(kind, id)
      } else if (text !== null) {
        if (form !== '*') return fill(text)
        filled += filled === '' ? fill(text) : `,${fill(text)}`
      }
    }
    return form === '*' ? filled : 'null'
  }
  let length = 0
  const filled = cuts.map((text) => {
    const whole = fill(text)
    length += whole.length
    // Texts are shared until here: only the answer repeats them.
    if (length > MAX_RESULT_BYTES) throw new ResultTooLargeError(`The answer has more than ${MAX_RESULT_BYTES} bytes.`)
    return whole
  })
  return { filled, missing }
}
