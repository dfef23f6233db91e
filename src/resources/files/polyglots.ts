import type { FileHandle } from 'node:fs/promises'

/**
 * A polyglot is a picture that another program reads as something else: a page, a script, an archive, a document. Each
 * pattern is too long to occur by chance in compressed pixels.
 */
const MARKUP = /<script[\s>/]|<!doctype\s+html|<html[\s>]|<\?php\s/i
const CHUNK = 1024 * 1024
const OVERLAP = 32
const PDF_HEAD = 1024
const ZIP_END = Buffer.from('PK\x05\x06')
const ZIP_END_BYTES = 22
const MAX_ZIP_COMMENT = 65_535

const readAt = async (handle: FileHandle, position: number, length: number) => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** Dimensions that spell the start of a comment or an assignment turn the rest of the file into a script. */
const startsScript = (head: Buffer, mimeType: string) =>
  mimeType === 'image/gif'
    ? /^GIF8[79]a(\/[*/]|=)/.test(head.toString('latin1', 0, 10))
    : mimeType === 'image/jpeg' && head.toString('latin1', 4, 6) === '/*'

/** Programs find an archive by its end, whatever precedes it. */
const endsAsZip = (tail: Buffer) => {
  for (let at = tail.lastIndexOf(ZIP_END); at >= 0; at = at > 0 ? tail.lastIndexOf(ZIP_END, at - 1) : -1) {
    const complete = at + ZIP_END_BYTES <= tail.length
    if (complete && at + ZIP_END_BYTES + tail.readUInt16LE(at + 20) === tail.length) return true
  }
  return false
}

const hasMarkup = async (handle: FileHandle, size: number) => {
  for (let at = 0; at < size; at += CHUNK) {
    if (MARKUP.test((await readAt(handle, at, CHUNK + OVERLAP)).toString('latin1'))) return true
  }
  return false
}

export const detectPolyglot = async (handle: FileHandle, mimeType: string): Promise<string | undefined> => {
  const { size } = await handle.stat()
  const head = await readAt(handle, 0, PDF_HEAD)
  if (startsScript(head, mimeType)) return 'a script'
  if (/%PDF-\d\.\d/.test(head.toString('latin1'))) return 'a PDF document'
  const tail = Math.min(size, ZIP_END_BYTES + MAX_ZIP_COMMENT)
  if (endsAsZip(await readAt(handle, size - tail, tail))) return 'an archive'
  return (await hasMarkup(handle, size)) ? 'a page or a program' : undefined
}
