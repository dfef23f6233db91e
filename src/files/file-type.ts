import { fileTypeFromBuffer } from 'file-type'

/** How much of a file its type is read from. */
export const HEAD_BYTES = 64 * 1024

export const UNKNOWN_TYPE = 'application/octet-stream'

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what text does not have.
const BINARY = /[\0-\x08\x0e-\x1a\x1c-\x1f]/
/** What may stand before the first tag. Matches always and in one pass: hostile text must not make it try twice. */
const PROLOGUE = /^(?:\s|<\?xml[^>]*>|<!--[\s\S]*?-->|<!doctype\s+svg[^>[]*(?:\[[^\]]*\]\s*)?>)*/i
const SVG = /^<(\w{1,30}:)?svg[\s>/]/i
const HTML =
  /^<(!doctype\s+html|html|head|body|script|iframe|style|title|meta|link|table|div|p|h1|a|b|br|img|form)[\s>/]/i

const decodeText = (head: Buffer): string | undefined => {
  try {
    // The cut may go through a character: a stream decoder leaves it for later.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return BINARY.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** Two lines or more that all have the same number of separators. */
const isTable = (text: string) => {
  const lines = text
    .split(/\r?\n/)
    .slice(0, 20)
    .filter((line) => line !== '')
    .slice(0, 10)
  return [',', ';'].some((separator) => {
    const [first = 0, ...rest] = lines.map((line) => line.replace(/"[^"]*"/g, '').split(separator).length)
    return first > 1 && rest.length > 0 && rest.every((count) => count === first)
  })
}

const isJson = (text: string) => {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const typeOfText = (text: string) => {
  const start = text.replace(PROLOGUE, '').slice(0, 200)
  if (SVG.test(start)) return 'image/svg+xml'
  if (HTML.test(start)) return 'text/html'
  if (/^\s*<\?xml\s/.test(text)) return 'application/xml'
  if (isJson(text)) return 'application/json'
  return isTable(text) ? 'text/csv' : 'text/plain'
}

/** An animated PNG is a PNG to everybody who takes PNGs. */
const ALIASES: Record<string, string> = { 'image/apng': 'image/png', 'audio/x-m4a': 'audio/mp4' }

/** The type of a file by its first bytes: neither its name nor what the sender calls it counts. */
export const readType = async (head: Buffer): Promise<string> => {
  const text = head.length > 0 ? decodeText(head) : undefined
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  if (found && found.mime !== 'application/xml') return ALIASES[found.mime] ?? found.mime
  if (text !== undefined) return typeOfText(text.replace(/^\ufeff/, ''))
  return found?.mime ?? UNKNOWN_TYPE
}
