import { MAX_RESULT_BYTES, ResultTooLargeError } from '../storage/result-limit.ts'

/**
 * A hole in a text is a placeholder for the text of another resource. JSON escapes control characters, so no stored text
 * can contain this mark.
 */
const MARK = '\u0001'

/** A hole for one text, or null if there is none. */
export const hole = (kind: string, id: string | null): string => (id === null ? 'null' : `${MARK}${kind}=${id}${MARK}`)

/** A hole for the texts that exist, separated by commas: the elements of an array. */
export const holes = (kind: string, ids: readonly string[]): string =>
  ids.length === 0 ? '' : `${MARK}${kind}*${ids.join()}${MARK}`

/** A hole for the first text that exists, or null. */
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

/** A text split at its marks: every other piece is a hole. A text without holes stays a string. */
type Pieces = string | (string | Hole)[]

const split = (text: string): Pieces =>
  text.includes(MARK) ? text.split(MARK).map((piece, index) => (index % 2 === 0 ? piece : parseHole(piece))) : text

/** Loads texts of one kind, and possibly others that fill their holes. Omits those that do not exist. */
export type LoadTexts = (kind: string, ids: string[]) => Promise<Fillings>

/** Texts by kind. They may have holes of their own. */
export type Fillings = ReadonlyMap<string, Filling>

export interface Filling {
  texts: ReadonlyMap<string, string>
  /** Whether a text of this kind that is referred to but not included does not exist. */
  isComplete: boolean
}

/** Deeper than kinds are nested: detects two kinds that contain each other. */
const MAX_LEVELS = 8

/** The texts of one kind that fill holes; null for one that does not exist. */
type Known = Map<string, Pieces | null>

const readFillings = (fillings: Fillings): Map<string, Known> =>
  new Map([...fillings].map(([kind, { texts }]) => [kind, new Map([...texts].map(([id, text]) => [id, split(text)]))]))

const knownOf = (known: Map<string, Known>, kind: string): Known => {
  const texts = known.get(kind) ?? new Map()
  known.set(kind, texts)
  return texts
}

/** Adds loaded texts, and records which of the texts they refer to do not exist. */
const addLoaded = (known: Map<string, Known>, loaded: Fillings) => {
  const added: Pieces[] = []
  for (const [kind, { texts }] of loaded) {
    const ofKind = knownOf(known, kind)
    for (const [id, text] of texts) {
      if (ofKind.has(id)) continue
      const pieces = split(text)
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
 * Fills the holes of these texts, recursively. Texts not in `fillings` are loaded level by level, with one call per kind,
 * so a thousand holes cost no more statements than there are kinds.
 */
export const fillHoles = async (
  texts: readonly string[],
  load: LoadTexts,
  fillings: Fillings = new Map(),
): Promise<string[]> => {
  const templates = texts.map(split)
  if (templates.every((text) => typeof text === 'string')) return [...texts]
  const known = readFillings(fillings)
  for (let level = 0; ; level++) {
    // Texts loaded later may refer to others.
    const isComplete = (kind: string) => level === 0 && fillings.get(kind)?.isComplete === true
    const { filled, missing } = fillWith(templates, known, isComplete)
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

/** Fills holes with the known texts, and collects the missing ones. */
const fillWith = (
  templates: readonly Pieces[],
  known: ReadonlyMap<string, Known>,
  isComplete: (kind: string) => boolean,
) => {
  const missing = new Map<string, Set<string>>()
  const note = (kind: string, id: string) => {
    const ids = missing.get(kind)
    if (ids) ids.add(id)
    else missing.set(kind, new Set([id]))
  }
  const fill = (text: Pieces): string => {
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
  const filled = templates.map((text) => {
    const whole = fill(text)
    length += whole.length
    // Texts are shared up to here; the reply repeats them.
    if (length > MAX_RESULT_BYTES) throw new ResultTooLargeError(`The reply has more than ${MAX_RESULT_BYTES} bytes.`)
    return whole
  })
  return { filled, missing }
}
