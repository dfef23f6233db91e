/** The type is detected from this many bytes. */
export const HEAD_BYTES = 64 * 1024

const UNKNOWN_TYPE = 'application/octet-stream'

// biome-ignore lint/suspicious/noControlCharactersInRegex: text has no control characters.
const BINARY = /[\0-\x08\x0e-\x1a\x1c-\x1f]/
/**
 * What may precede the first tag. The pattern always matches in one pass, so that hostile text cannot make it
 * backtrack.
 */
const PROLOGUE = /^(?:\s|<\?xml[^>]*>|<!--[\s\S]*?-->|<!doctype\s+svg[^>[]*(?:\[[^\]]*\]\s*)?>)*/i
const SVG = /^<(\w{1,30}:)?svg[\s>/]/i
const HTML =
  /^<(!doctype\s+html|html|head|body|script|iframe|style|title|meta|link|table|div|p|h1|a|b|br|img|form)[\s>/]/i

const XHTML = /^<(!doctype\s+html|html)[\s>/]/i

const decodeText = (head: Buffer): string | undefined => {
  try {
    // The head may end inside a character; `stream: true` ignores the incomplete rest.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return BINARY.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** At least two lines, all with the same number of separators. */
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
  // With a declaration, `<title>` and the like are elements of any vocabulary: a feed, a price list.
  const isXml = /^\s*<\?xml\s/.test(text)
  if ((isXml ? XHTML : HTML).test(start)) return 'text/html'
  if (isXml) return 'application/xml'
  if (isJson(text)) return 'application/json'
  return isTable(text) ? 'text/csv' : 'text/plain'
}

/** An animated PNG is accepted wherever a PNG is. */
const ALIASES: Record<string, string> = { 'image/apng': 'image/png', 'audio/x-m4a': 'audio/mp4' }

/** Detects the type of a file from its first bytes. The name and the declared type do not count. */
export const readType = async (head: Buffer): Promise<string> => {
  const text = head.length > 0 ? decodeText(head) : undefined
  // Some fifty modules, which only uploads need.
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  if (found && found.mime !== 'application/xml') return ALIASES[found.mime] ?? found.mime
  if (text !== undefined) return typeOfText(text.replace(/^\ufeff/, ''))
  return found?.mime ?? UNKNOWN_TYPE
}
