import type { Readable } from 'node:stream'

const NEWLINE = 0x0a

export interface InputLine {
  /** Counted from 1, blank lines included. */
  number: number
  /** Undefined if the line is longer than allowed. */
  bytes: Buffer | undefined
  /** Where the next line starts in the input. */
  next: number
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)

/** Collects the pieces of a line that spans several chunks, up to the limit. */
class LineBuffer {
  private pieces: Buffer[] = []
  private length = 0
  private readonly maxBytes: number

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  add(piece: Buffer) {
    this.length += piece.length
    if (this.length <= this.maxBytes) this.pieces.push(piece)
    else this.pieces = []
  }

  get size() {
    return this.length
  }

  take(): Buffer | undefined {
    const line = this.length > this.maxBytes ? undefined : Buffer.concat(this.pieces)
    this.pieces = []
    this.length = 0
    return line
  }
}

/** The lines of NDJSON, without blank ones. A line that is too long is reported, and not held in memory. */
export async function* readLines(
  stream: Readable,
  { firstByte = 0, firstLine = 1, maxBytes }: { firstByte?: number; firstLine?: number; maxBytes: number },
): AsyncGenerator<InputLine> {
  const buffer = new LineBuffer(maxBytes)
  let next = firstByte
  let number = firstLine
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      buffer.add(chunk.subarray(start, end))
      next += buffer.size + 1
      start = end + 1
      const bytes = buffer.take()
      if (!bytes || !isBlank(bytes)) yield { number, bytes, next }
      number++
    }
    if (start < chunk.length) buffer.add(chunk.subarray(start))
  }
  if (buffer.size === 0) return
  next += buffer.size
  const bytes = buffer.take()
  if (!bytes || !isBlank(bytes)) yield { number, bytes, next }
}

/** Counts the lines of NDJSON that are not blank, chunk by chunk. */
export class LineCounter {
  lines = 0
  private isBlankSoFar = true

  add(chunk: Buffer) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.look(chunk.subarray(start, end))
      this.end()
      start = end + 1
    }
    this.look(chunk.subarray(start))
  }

  end() {
    if (!this.isBlankSoFar) this.lines++
    this.isBlankSoFar = true
  }

  private look(piece: Buffer) {
    if (this.isBlankSoFar && !isBlank(piece)) this.isBlankSoFar = false
  }
}
