export interface Span {
  start: number
  end: number
}

/** Where each value of a JSON text is, by its dotted path; or where the text stops being JSON. */
export type JsonPlaces =
  | { places: ReadonlyMap<string, Span>; fault?: undefined }
  | { places?: undefined; fault: number }

const MAX_LEVELS = 200
const SPACE = /[ \t\n\r]*/y
const STRING = /"(?:[^"\\]|\\.)*"/sy
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y

class Fault extends Error {
  readonly at: number

  constructor(at: number) {
    super()
    this.at = at
  }
}

const readPlaces = (text: string) => {
  const places = new Map<string, Span>()
  let at = 0

  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    const [found] = pattern.exec(text) ?? []
    if (found === undefined) throw new Fault(at)
    at += found.length
    return found
  }
  /** Its escapes are checked too. */
  const readString = (): string => {
    const start = at
    const found = match(STRING)
    try {
      return JSON.parse(found)
    } catch {
      throw new Fault(start)
    }
  }
  const skip = (character: string) => {
    if (text[at] !== character) return false
    at++
    match(SPACE)
    return true
  }
  const need = (character: string) => {
    if (!skip(character)) throw new Fault(at)
  }

  /** The members of an object or an array, after its first bracket. */
  const readMembers = (end: string, readMember: (n: number) => void) => {
    match(SPACE)
    for (let n = 0; text[at] !== end; n++) {
      if (n > 0) need(',')
      readMember(n)
      match(SPACE)
    }
    at++
  }

  const readValue = (path: string, level: number) => {
    if (level > MAX_LEVELS) throw new Fault(at)
    const start = at
    const within = (name: string | number) => (path ? `${path}.${name}` : String(name))
    if (text[at] === '{') {
      at++
      readMembers('}', () => {
        const key = readString()
        match(SPACE)
        need(':')
        readValue(within(key), level + 1)
      })
    } else if (text[at] === '[') {
      at++
      readMembers(']', (n) => readValue(within(n), level + 1))
    } else if (text[at] === '"') readString()
    else match(SCALAR)
    places.set(path, { start, end: at })
  }

  match(SPACE)
  readValue('', 0)
  match(SPACE)
  if (at < text.length) throw new Fault(at)
  return places
}

export const jsonPlaces = (text: string): JsonPlaces => {
  try {
    return { places: readPlaces(text) }
  } catch (error) {
    if (error instanceof Fault) return { fault: error.at }
    throw error
  }
}

/** Of the value at this path, or of the nearest one around it. */
export const placeOf = (places: ReadonlyMap<string, Span>, path: string): Span => {
  for (let name = path; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('.')))) {
    const found = places.get(name)
    if (found) return found
  }
  return places.get('') ?? { start: 0, end: 0 }
}

export const lineOf = (text: string, at: number) => text.slice(0, at).split('\n').length
