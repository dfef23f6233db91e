import { MAX_RESULT_BYTES, ResultTooLargeError } from '../storage/result-limit.ts'
import type { JsonText } from './json-text.ts'

/**
 * A hole in a text is a placeholder for the text of another resource. JSON escapes control characters, so no stored text
 * can contain this mark.
 */
const MARK = '\u0001'

/** A hole for one text, or null if there is none. */
export const hole = <Id extends string | null>(kind: string, id: Id) =>
  (id === null ? 'null' : `${MARK}${kind}=${id}${MARK}`) as JsonText<Extract<Id, null>>

/** A hole for the texts that exist, separated by commas: the elements of an array. */
export const holes = (kind: string, ids: readonly string[]) =>
  (ids.length === 0 ? '' : `${MARK}${kind}*${ids.join()}${MARK}`) as JsonText<never>

/** A hole for the first text that exists, or null. */
export const firstHole = (kind: string, ids: readonly string[]) =>
  (ids.length === 0 ? 'null' : `${MARK}${kind}?${ids.join()}${MARK}`) as JsonText<null>

/** The ids of texts to be loaded. */
export interface TextRequest {
  kind: string
  ids: readonly string[]
}

/** Loads the texts of each request, and possibly others that fill their holes. Omits those that do not exist. */
export type LoadTexts = (requests: readonly TextRequest[]) => Promise<readonly Fillings[]>

/** A text that the process keeps in memory, if it does. It has no holes. */
export type ConstantText = (kind: string, id: string) => string | undefined

/** Texts by kind, read at the same time. They may have holes of their own. */
type Fillings = ReadonlyMap<string, Filling>

interface Filling {
  texts: ReadonlyMap<string, string>
  /** Whether a text of this kind that is referred to but not included does not exist. */
  isComplete: boolean
}

/** Deeper than kinds are nested: detects two kinds that contain each other. */
const MAX_LEVELS = 8

/** Ids by kind. */
type Ids = Map<string, Set<string>>

/**
 * Fills the holes of these texts, recursively. Texts not in `fillings` are loaded level by level, with one request per
 * kind, so a thousand holes cost no more statements than there are kinds.
 */
export const fillHoles = async (
  texts: readonly string[],
  load: LoadTexts,
  fillings: Fillings = new Map(),
  constant: ConstantText = () => undefined,
): Promise<string[]> => {
  const filler = createFiller(fillings, constant)
  for (let level = 0; ; level++) {
    const { filled, missing } = filler.fill(texts)
    if (missing.size === 0) return filled
    if (level === MAX_LEVELS) throw new Error(`Texts contain each other: ${[...missing.keys()].join(', ')}.`)
    filler.add(missing, await load([...missing].map(([kind, ids]) => ({ kind, ids: [...ids] }))))
  }
}

const FORM = /[=*?]/

const createFiller = (fillings: Fillings, constant: ConstantText) => {
  const read: Fillings[] = [fillings]
  /** What has been loaded: of these, texts that were not found do not exist. */
  const loaded: Ids = new Map()
  /** What fills a hole, by the text of the hole. Most occur several times. */
  const filledHoles = new Map<string, string>()
  let missing: Ids = new Map()
  let gaps = 0

  const recordMissing = (kind: string, id: string) => {
    gaps++
    addIds(missing, kind, [id])
  }

  /** `from` is what the text was read with: it knows which texts do not exist. */
  const fillText = (text: string, from: Fillings): string => {
    let filled = ''
    let done = 0
    for (let start = text.indexOf(MARK); start >= 0; start = text.indexOf(MARK, done)) {
      const end = text.indexOf(MARK, start + 1)
      filled += text.slice(done, start) + fillHole(text.slice(start + 1, end), from)
      done = end + 1
    }
    return done === 0 ? text : filled + text.slice(done)
  }

  const fillHole = (hole: string, from: Fillings): string => {
    const known = filledHoles.get(hole)
    if (known !== undefined) return known
    const before = gaps
    const text = findText(hole, from)
    if (gaps === before) filledHoles.set(hole, text)
    return text
  }

  const findText = (hole: string, from: Fillings): string => {
    const index = hole.search(FORM)
    const kind = hole.slice(0, index)
    const ids = hole.slice(index + 1)
    if (hole[index] === '=') return findOne(kind, ids, from) ?? 'null'
    const isList = hole[index] === '*'
    const texts: string[] = []
    for (const id of ids.split(',')) {
      const text = findOne(kind, id, from)
      if (text === undefined) continue
      if (!isList) return text
      texts.push(text)
    }
    return isList ? texts.join() : 'null'
  }

  const findOne = (kind: string, id: string, from: Fillings): string | undefined => {
    for (const source of read) {
      const text = source.get(kind)?.texts.get(id)
      if (text !== undefined) return fillText(text, source)
    }
    const known = constant(kind, id)
    if (known === undefined && !from.get(kind)?.isComplete && !loaded.get(kind)?.has(id)) recordMissing(kind, id)
    return known
  }

  return {
    /** Fills holes with the texts read so far, and collects the missing ones. */
    fill: (texts: readonly string[]) => {
      missing = new Map()
      let length = 0
      const filled = texts.map((text) => {
        const whole = fillText(text, fillings)
        length += whole.length
        // Texts are shared up to here; the reply repeats them.
        if (length > MAX_RESULT_BYTES)
          throw new ResultTooLargeError(`The reply has more than ${MAX_RESULT_BYTES} bytes.`)
        return whole
      })
      return { filled, missing }
    },
    add: (requested: Ids, found: readonly Fillings[]) => {
      read.push(...found)
      for (const [kind, ids] of requested) addIds(loaded, kind, ids)
    },
  }
}

const addIds = (to: Ids, kind: string, ids: Iterable<string>) => {
  const known = to.get(kind) ?? new Set()
  for (const id of ids) known.add(id)
  to.set(kind, known)
}
