/**
 * Parses untrusted JSON. The text is scanned first, so that neither nesting nor the number of values can exhaust
 * memory, and so that no number loses digits.
 */

import { MAX_REPORTED_FIELDS } from '../errors.ts'

/** Deeper than any real body, and far from exhausting the stack. */
export const MAX_JSON_LEVELS = 64
export const MAX_JSON_VALUES = 200_000

/** Error message for numbers that were parsed as Infinity. */
export const INEXACT_NUMBER =
  'must be a number that a double can hold exactly: at most 17 digits, from 1e-21 to 1e21; send other ' +
  'numbers as strings'

const TOO_MANY_VALUES = `of at most ${MAX_JSON_VALUES.toLocaleString('en')} values, each entry of a list counted`

type ParsedJson = { value: unknown } | { fault: string; tooLarge: boolean; cause?: unknown }

class Refused extends Error {
  readonly tooLarge: boolean
  constructor(message: string, tooLarge = false) {
    super(message)
    this.tooLarge = tooLarge
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const COLON = 0x3a
const BACKSLASH = 0x5c
// `[` and `{` differ in one bit.
const OPENING = 0x7b
const CLOSING = 0x7d

/** The first letter of `true`, `false` or `null`. */
const startsWord = (code: number) => code === 0x74 || code === 0x66 || code === 0x6e

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

const endOfString = (text: string, start: number) => {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return end
  }
}

/** Digits, `+`, `-`, `.`, `e` and `E`. */
const isOfNumber = (code: number) =>
  isDigit(code) || code === MINUS || code === 0x2e || (code | 32) === 0x65 || code === 0x2b

const endOfNumber = (text: string, start: number) => {
  let end = start + 1
  while (isOfNumber(text.charCodeAt(end))) end++
  return end
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** `-0.0120e5` becomes `12`. */
const significantDigits = (token: string) =>
  token
    .replace(/e.*$/i, '')
    .replace(/[.-]/g, '')
    .replace(/^0+|0+$/g, '')

/** Whether a double holds the number exactly. RFC 7493 asks for no others. */
const isExact = (token: string) => {
  if ((token.length <= 15 && !/e/i.test(token)) || !NUMBER.test(token)) return true
  const digits = significantDigits(token)
  if (digits === '') return true
  const size = Math.abs(Number(token))
  if (digits.length > 17 || size < 1e-21 || size > 1e21) return false
  return size <= Number.MAX_SAFE_INTEGER || significantDigits(String(size)) === digits
}

/** Finds numbers that a double cannot hold. Throws if the text is too deep or has too many values. */
const scan = (text: string) => {
  const inexact: { start: number; end: number }[] = []
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === COMMA) continue
    if (code === QUOTE) {
      values++
      at = endOfString(text, at)
    } else if (code === COLON) {
      // The preceding string was a key, not a value.
      values--
    } else if ((code | 32) === OPENING) {
      values++
      if (++depth > MAX_JSON_LEVELS) throw new Refused(`nested no deeper than ${MAX_JSON_LEVELS} levels`)
    } else if ((code | 32) === CLOSING) {
      depth--
    } else if (isDigit(code) || code === MINUS) {
      values++
      const end = endOfNumber(text, at)
      if (inexact.length < MAX_REPORTED_FIELDS && !isExact(text.slice(at, end))) inexact.push({ start: at, end })
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

/** `fault` completes the sentence "must be …". */
export const parseJson = (text: string): ParsedJson => {
  try {
    const inexact = scan(text)
    return { value: JSON.parse(inexact.length > 0 ? markInexact(text, inexact) : text) }
  } catch (cause) {
    if (cause instanceof Refused) return { fault: cause.message, tooLarge: cause.tooLarge }
    const { line, column } = positionOf(text, syntaxErrorAt(text))
    return { fault: `valid JSON: syntax error at line ${line}, column ${column}`, tooLarge: false, cause }
  }
}

const positionOf = (text: string, at: number) => {
  const before = text.slice(0, at)
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') }
}

const ATOM = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y
const BLANKS = /[ \t\r\n]*/y

const lengthAt = (pattern: RegExp, text: string, at: number) => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

/** Returns the end of a string, or a negative position if the string is broken. */
const readString = (text: string, start: number) => {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code < 0x20) return -at
    if (code === BACKSLASH) {
      const length = lengthAt(ESCAPE, text, at)
      if (length === 0) return -at
      at += length - 1
    }
  }
  return -text.length
}

type State = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'next'

const isName = (state: State) => state === 'name' || state === 'first name'

/** Finds the syntax error. JSON.parse does not report its position on every version of Node. */
export const syntaxErrorAt = (text: string): number => {
  const closers: string[] = []
  let state = 'value' as State
  for (let at = 0; ; ) {
    at += lengthAt(BLANKS, text, at)
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
