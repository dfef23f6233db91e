const MAX_LENGTH = 255
const MAX_EXTENSION = 20

/** Cuts between characters, keeping the extension, by which people and programs know the file. */
const cut = (name: string) => {
  if (name.length <= MAX_LENGTH) return name
  const extension = /\.[\p{L}\p{N}]+$/u.exec(name.slice(-MAX_EXTENSION))?.[0] ?? ''
  return `${name.slice(0, MAX_LENGTH - extension.length)}${extension}`.toWellFormed().replaceAll('\ufffd', '_')
}

/** The name a file is kept under: without folders, control characters or invisible turns of the writing direction. */
export const fileName = (given: string) => {
  // Browsers write a quote and a line break so, and nothing else.
  const written = given.replace(/%22/g, '"').replace(/%0[AD]/g, '')
  const base = written.split(/[/\\]/).at(-1) ?? ''
  const clean = base
    .toWellFormed()
    .normalize('NFC')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go.
    .replace(/[\0-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim()
  return clean === '' || /^\.+$/.test(clean) ? 'file' : cut(clean)
}

const QUOTED = /"(?:[^"\\]|\\.)*"/g
const EXTENDED = /;\s*filename\*\s*=\s*(utf-8|iso-8859-1)'[^';]*'([^;\s]+)/i

/** The `filename*` of a Content-Disposition (RFC 5987), which says more than `filename`; undefined where it is broken. */
export const extendedName = (disposition: string) => {
  const [, charset = '', encoded = ''] = EXTENDED.exec(disposition.replace(QUOTED, '""')) ?? []
  if (encoded === '') return undefined
  const bytes = encoded.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  if (charset.toLowerCase() === 'iso-8859-1') return bytes
  const text = Buffer.from(bytes, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? undefined : text
}

const ATTRIBUTE = /[^A-Za-z0-9!#$&+.^_`|~-]/g

/** RFC 6266 for any name: a plain one for old clients, the true one beside it. */
export const contentDisposition = (kind: 'inline' | 'attachment', name: string) => {
  const plain = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(ATTRIBUTE, (character) =>
    character === '%' ? '%' : `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return plain === name ? `${kind}; filename="${plain}"` : `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
