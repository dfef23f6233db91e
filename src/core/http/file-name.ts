import { normalizeText } from '../input/normalize-text.ts'

const MAX_LENGTH = 255
const MAX_EXTENSION = 20

/** Truncates between characters and keeps the extension. */
const truncate = (name: string) => {
  if (name.length <= MAX_LENGTH) return name
  const extension = /\.[\p{L}\p{N}]+$/u.exec(name.slice(-MAX_EXTENSION))?.[0] ?? ''
  return `${name.slice(0, MAX_LENGTH - extension.length)}${extension}`.toWellFormed().replaceAll('\ufffd', '_')
}

/** Removes folders, control characters and invisible bidirectional marks from a file name. */
export const fileName = (name: string) => {
  // Browsers percent-encode only quotes and line breaks.
  const decoded = name.replace(/%22/g, '"').replace(/%0[AD]/g, '')
  const base = decoded.split(/[/\\]/).at(-1) ?? ''
  const clean = normalizeText(base.toWellFormed())
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes.
    .replace(/[\0-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim()
  return clean === '' || /^\.+$/.test(clean) ? 'file' : truncate(clean)
}

/** A quote that is never closed counts up to the end, so that no text is looked at twice. */
const QUOTED = /"(?:[^"\\]|\\[\s\S])*"?/g
const EXTENDED = /;\s*filename\*\s*=\s*(utf-8|iso-8859-1)'[^';]*'([^;\s]+)/i

/** Reads the `filename*` of a Content-Disposition (RFC 5987); undefined if it is missing or malformed. */
export const extendedName = (disposition: string) => {
  const [, charset = '', encoded = ''] = EXTENDED.exec(disposition.replace(QUOTED, '""')) ?? []
  if (encoded === '') return undefined
  const bytes = encoded.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  if (charset.toLowerCase() === 'iso-8859-1') return bytes
  const text = Buffer.from(bytes, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? undefined : text
}

const ATTRIBUTE = /[^A-Za-z0-9!#$&+.^_`|~-]/g

/** RFC 6266: an ASCII `filename` for old clients and, where that differs, the real name in `filename*`. */
export const contentDisposition = (kind: 'inline' | 'attachment', name: string) => {
  const plain = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(ATTRIBUTE, (character) =>
    character === '%' ? '%' : `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return plain === name ? `${kind}; filename="${plain}"` : `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
