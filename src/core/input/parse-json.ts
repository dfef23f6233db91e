/**
 * Parses untrusted JSON. The text is scanned first, so that neither nesting nor the number of values can exhaust
 * memory, and so that no number loses digits.
 */

import { randomInt } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MAX_REPORTED_FIELDS } from '../../errors.ts'

/** Deeper than any real body, and far from exhausting the stack. */
export const MAX_JSON_LEVELS = 64
export const MAX_JSON_VALUES = 200_000
/** More than `meta_data` has room for. Objects with more keys take longer to build than all else. */
export const MAX_JSON_KEYS = 20_000
/** So many keys of an object count once for all objects that have the same. */
const MAX_ALIKE_KEYS = 100

/** Error message for numbers that were parsed as Infinity. */
export const INEXACT_NUMBER =
  'must be a number that a double can hold exactly: at most 17 digits, from 1e-21 to 1e21; send other ' +
  'numbers as strings'

const TOO_MANY_VALUES = `of at most ${MAX_JSON_VALUES.toLocaleString('en')} values, each entry of a list counted`

const TOO_MANY_KEYS = `of at most ${MAX_JSON_KEYS.toLocaleString('en')} keys, those of similar objects counted once`

/** So many characters, or bytes of a body, are worked on before other requests get their turn. */
export const CHARACTERS_PER_TURN = 256 * 1024

type ParsedJson = { value: unknown } | { fault: string; tooLarge: boolean; cause?: unknown }

class Refused extends Error {
  readonly tooLarge: boolean
  constructor(message: string, tooLarge = false) {
    super(message)
    this.tooLarge = tooLarge
  }
}

const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const COLON = 0x3a
const BACKSLASH = 0x5c
// `[` and `{` differ in one bit.
const OPENING = 0x7b
const CLOSING = 0x7d

/** The first letter of `true`, `false` or `null`. */
const startsWord = (code: number) => code === 0x74 || code === 0x66 || code === 0x6e

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

const endOfString = (text: string, start: number) => {
  const end = text.indexOf('"', start + 1)
  if (end < 0) return text.length
  if (text.charCodeAt(end - 1) !== BACKSLASH) return end
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}

const endOfDigits = (text: string, start: number) => {
  let end = start
  while (isDigit(text.charCodeAt(end))) end++
  return end
}

/** The end of the longest number that starts here. What is wrong behind it is left for JSON.parse to refuse. */
const endOfNumber = (text: string, start: number) => {
  let end = endOfDigits(text, start + 1)
  if (text.charCodeAt(end) === POINT && isDigit(text.charCodeAt(end + 1))) end = endOfDigits(text, end + 1)
  if ((text.charCodeAt(end) | 32) !== 0x65) return end
  const sign = text.charCodeAt(end + 1)
  const digits = end + (sign === PLUS || sign === MINUS ? 2 : 1)
  return isDigit(text.charCodeAt(digits)) ? endOfDigits(text, digits) : end
}

/** Far longer than any number that a double holds exactly, so longer ones need not be looked at. */
const MAX_NUMBER_LENGTH = 100

/** Where the first and the last digit are that are not zero; -1 if there are none. The exponent is left out. */
const significantPart = (token: string) => {
  let [first, last] = [-1, -1]
  for (let at = 0; at < token.length; at++) {
    const code = token.charCodeAt(at)
    if ((code | 32) === 0x65) break
    if (code <= ZERO || code > 0x39) continue
    if (first < 0) first = at
    last = at
  }
  return { first, last }
}

/** `-0.0120e5` becomes `12`. */
const significantDigits = (token: string) => {
  const { first, last } = significantPart(token)
  return token.slice(first, last + 1).replace('.', '')
}

/** Whether a double holds the number exactly. RFC 7493 asks for no others. */
const isExact = (token: string) => {
  const { first, last } = significantPart(token)
  if (first < 0) return true
  const size = Math.abs(Number(token))
  if (size < 1e-21 || size > 1e21) return false
  if (last - first >= 17 && significantDigits(token).length > 17) return false
  return size <= Number.MAX_SAFE_INTEGER || significantDigits(String(size)) === significantDigits(token)
}

/** `-`, or `007`: JSON.parse refuses it. */
const isMalformed = (text: string, start: number) => {
  const first = text.charCodeAt(start) === MINUS ? start + 1 : start
  const code = text.charCodeAt(first)
  return !isDigit(code) || (code === ZERO && isDigit(text.charCodeAt(first + 1)))
}

/** At most 17 digits without an exponent, of which at most 15 are before the point: always exact. */
const isShort = (text: string, start: number, end: number) => {
  if (end - start > 18) return false
  let point = end
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if ((code | 32) === 0x65) return false
    if (code === POINT) point = at
  }
  return point - start <= 15
}

const isInexact = (text: string, start: number, end: number) =>
  !isShort(text, start, end) &&
  !isMalformed(text, start) &&
  (end - start > MAX_NUMBER_LENGTH || !isExact(text.slice(start, end)))

/** Below this length, a text cannot have too many keys. */
const MIN_COUNTED_LENGTH = 5 * MAX_JSON_KEYS
const SHAPES = 2 ** 18
/** Random, so that nobody can choose keys with the same hash. */
const SEED = randomInt(2 ** 31) | 1

/**
 * Counts what makes objects expensive to build. JSON.parse builds objects with the same keys in the same order as fast as
 * lists, so of these only the first counts; keys of large objects are hashed, and all count.
 */
class KeyCounter {
  private keys = 0
  private readonly known = new Uint8Array(SHAPES)
  /** Of the open objects, by depth: how many keys they have, and a hash of these. */
  private readonly counts = new Int32Array(MAX_JSON_LEVELS + 1)
  private readonly hashes = new Int32Array(MAX_JSON_LEVELS + 1)

  open(depth: number) {
    this.counts[depth] = 0
    this.hashes[depth] = SEED
  }

  add(depth: number, text: string, start: number, end: number) {
    let hash = this.hashes[depth] as number
    for (let at = start; at <= end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    hash ^= hash >>> 15
    this.hashes[depth] = hash
    const count = (this.counts[depth] as number) + 1
    this.counts[depth] = count
    const shape = hash & (SHAPES - 1)
    if (count <= MAX_ALIKE_KEYS && this.known[shape]) return
    this.known[shape] = 1
    if (++this.keys > MAX_JSON_KEYS) throw new Refused(TOO_MANY_KEYS, true)
  }
}

const isBlank = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** Finds numbers that a double cannot hold. Throws if the text is too deep or has too many values or keys. */
function* scan(text: string) {
  const inexact: { start: number; end: number }[] = []
  const keys = text.length < MIN_COUNTED_LENGTH ? undefined : new KeyCounter()
  let depth = 0
  let values = 0
  let lastString = 0
  let endOfTurn = CHARACTERS_PER_TURN
  for (let at = 0; at < text.length; at++) {
    if (at >= endOfTurn) {
      yield
      endOfTurn = at + CHARACTERS_PER_TURN
    }
    const code = text.charCodeAt(at)
    if (code === COMMA || isBlank(code)) continue
    if (code === QUOTE) {
      values++
      lastString = at
      at = endOfString(text, at)
    } else if (code === COLON) {
      // The preceding string was a key, not a value.
      values--
      keys?.add(depth, text, lastString, at)
    } else if ((code | 32) === OPENING) {
      values++
      if (++depth > MAX_JSON_LEVELS) throw new Refused(`nested no deeper than ${MAX_JSON_LEVELS} levels`)
      keys?.open(depth)
    } else if ((code | 32) === CLOSING) {
      // JSON.parse will refuse what is closed too often.
      if (depth > 0) depth--
    } else if (isDigit(code) || code === MINUS) {
      values++
      const end = endOfNumber(text, at)
      if (inexact.length < MAX_REPORTED_FIELDS && isInexact(text, at, end)) inexact.push({ start: at, end })
      at = end - 1
    } else if (startsWord(code)) values++
    if (values > MAX_JSON_VALUES) throw new Refused(TOO_MANY_VALUES, true)
  }
  return inexact
}

/**
 * Replaces inexact numbers with 1e999. JSON.parse reads that as Infinity, which validation then refuses by field name.
 */
const markInexact = (text: string, numbers: { start: number; end: number }[]) => {
  let marked = ''
  let from = 0
  for (const { start, end } of numbers) {
    marked += `${text.slice(from, start)}1e999`
    from = end
  }
  return marked + text.slice(from)
}

/** Pauses where other work may be done. */
function* parse(text: string): Generator<undefined, ParsedJson> {
  try {
    const inexact = yield* scan(text)
    yield
    const value = JSON.parse(inexact.length > 0 ? markInexact(text, inexact) : text)
    yield
    return { value }
  } catch (cause) {
    if (cause instanceof Refused) return { fault: cause.message, tooLarge: cause.tooLarge }
    yield
    const at = yield* findSyntaxError(text)
    yield
    const { line, column } = positionOf(text, at)
    return { fault: `valid JSON: syntax error at line ${line}, column ${column}`, tooLarge: false, cause }
  }
}

const finish = <T>(steps: Generator<undefined, T>): T => {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** `fault` completes the sentence "must be …". */
export const parseJson = (text: string): ParsedJson => finish(parse(text))

/** As parseJson, but a long text does not keep other requests waiting. */
export const parseJsonInTurns = async (text: string): Promise<ParsedJson> => {
  if (text.length < CHARACTERS_PER_TURN) return parseJson(text)
  const steps = parse(text)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await nextTurn()
  }
}

const positionOf = (text: string, at: number) => {
  let line = 1
  let start = 0
  for (let end = 0; end < at; end++) {
    if (text.charCodeAt(end) !== 0x0a) continue
    line++
    start = end + 1
  }
  return { line, column: at - start + 1 }
}

const ATOM = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

const lengthAt = (pattern: RegExp, text: string, at: number) => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

/** Which characters may follow a backslash, by code. */
const ESCAPED = new Uint8Array(128)
for (const character of '"\\/bfnrt') ESCAPED[character.charCodeAt(0)] = 1

const isHex = (code: number) => isDigit(code) || ((code | 32) >= 0x61 && (code | 32) <= 0x66)

/** Length of the escape sequence at the backslash, or 0 if it is none. */
const escapeLength = (text: string, at: number) => {
  const code = text.charCodeAt(at + 1)
  if (ESCAPED[code]) return 2
  if (code !== 0x75) return 0
  for (let n = 2; n < 6; n++) if (!isHex(text.charCodeAt(at + n))) return 0
  return 6
}

/** Returns the end of a string, or a negative position if the string is broken. */
const readString = (text: string, start: number) => {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code < 0x20) return -at
    if (code === BACKSLASH) {
      const length = escapeLength(text, at)
      if (length === 0) return -at
      at += length - 1
    }
  }
  return -text.length
}

type State = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'next'

const isName = (state: State) => state === 'name' || state === 'first name'

/** Finds the syntax error. JSON.parse does not report its position on every version of Node. */
function* findSyntaxError(text: string): Generator<undefined, number> {
  const closers: string[] = []
  let state = 'value' as State
  let endOfTurn = CHARACTERS_PER_TURN
  for (let at = 0; ; ) {
    if (at >= endOfTurn) {
      yield
      endOfTurn = at + CHARACTERS_PER_TURN
    }
    while (isBlank(text.charCodeAt(at))) at++
    const char = text[at]
    if (char === undefined) return at
    if (state === 'colon') {
      if (char !== ':') return at
      state = 'value'
      at++
    } else if (state === 'next') {
      if (closers.length === 0) return at
      if (char === ',') state = closers.at(-1) === '}' ? 'name' : 'value'
      else if (char === closers.at(-1)) closers.pop()
      else return at
      at++
    } else if ((state === 'first value' && char === ']') || (state === 'first name' && char === '}')) {
      closers.pop()
      state = 'next'
      at++
    } else if (char === '"') {
      const end = readString(text, at)
      if (end < 0) return -end
      state = isName(state) ? 'colon' : 'next'
      at = end
    } else if (isName(state)) {
      return at
    } else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']')
      state = char === '{' ? 'first name' : 'first value'
      at++
    } else {
      const length = lengthAt(ATOM, text, at)
      if (length === 0) return at
      state = 'next'
      at += length
    }
  }
}

export const syntaxErrorAt = (text: string): number => finish(findSyntaxError(text))
