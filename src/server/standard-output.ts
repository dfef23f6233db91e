import { fstatSync, writeFile, writeSync } from 'node:fs'
import type { WriteStream } from 'node:tty'

/** Buffered for a slow reader; lines beyond this are dropped and counted. */
const MAX_PENDING_CHARS = 1024 * 1024
// Lines are written in batches: one system call for each line would be expensive.
const CHUNK_CHARS = 4096
const FLUSH_MS = 100
/** How long the exit waits for the last lines to be written. */
const LAST_LINES_MS = 1_000

type Sink = (text: string, done: (error?: Error | null) => void) => void

interface Output {
  /** Takes whole lines. Never blocks and never throws, even if the reader is stuck or gone. */
  write(lines: string): void
  /** Like `write`, but flushes at once. */
  writeNow(lines: string): void
  /** Resolves once everything is written, or after the given number of milliseconds. */
  flushed(ms: number): Promise<void>
}

const countLines = (text: string) => text.split('\n').length - 1

interface OutputOptions {
  sink: Sink
  /** The line that reports how many lines were dropped. */
  describeLoss: (lines: number) => string
  /** Whether an error is final. */
  isFinal: (error: Error) => boolean
}

/** Buffers lines for a sink that may be slow, stuck or broken. */
export class BufferedOutput implements Output {
  private readonly options: OutputOptions
  private pending = ''
  private dropped = 0
  private isWriting = false
  private isBroken = false
  private timer: NodeJS.Timeout | undefined
  private waiting: (() => void)[] = []

  constructor(options: OutputOptions) {
    this.options = options
  }

  write(lines: string) {
    if (this.isBroken) return
    if (this.pending.length + lines.length > MAX_PENDING_CHARS) {
      this.dropped += countLines(lines)
      return
    }
    this.pending += lines
    if (this.pending.length >= CHUNK_CHARS) this.writePending()
    else this.timer ??= setTimeout(() => this.writePending(), FLUSH_MS).unref()
  }

  writeNow(lines: string) {
    this.write(lines)
    this.writePending()
  }

  async flushed(ms: number) {
    this.writePending()
    if (!this.isWriting || this.isBroken) return
    let late: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve)
      late = setTimeout(resolve, ms)
    })
    clearTimeout(late)
  }

  /** Removes and returns what is not written yet. */
  takePending() {
    clearTimeout(this.timer)
    this.timer = undefined
    const text = (this.dropped > 0 ? this.options.describeLoss(this.dropped) : '') + this.pending
    this.pending = ''
    this.dropped = 0
    return text
  }

  private writePending() {
    if (this.isWriting) return
    const text = this.takePending()
    if (text === '') return this.resolveWaiting()
    this.isWriting = true
    this.options.sink(text, (error) => {
      this.isWriting = false
      if (!error) return this.writePending()
      this.isBroken = this.options.isFinal(error)
      if (this.isBroken) this.pending = ''
      else this.dropped += countLines(text)
      this.resolveWaiting()
    })
  }

  private resolveWaiting() {
    for (const resolve of this.waiting) resolve()
    this.waiting = []
  }
}

const lossLine = (lines: number) =>
  `${JSON.stringify({ level: 40, time: new Date().toISOString(), dropped: lines, msg: 'Log lines were dropped because the output could not keep up.' })}\n`

const isFile = (fd: number) => {
  try {
    return fstatSync(fd).isFile()
  } catch {
    return false
  }
}

/** Errors are not final: a full disk may have space again later. */
const openFile = (fd: number) => {
  const sink: Sink = (text, done) => writeFile(fd, text, done)
  const output = new BufferedOutput({ sink, describeLoss: lossLine, isFinal: () => false })
  const finish = () => {
    try {
      writeSync(fd, output.takePending())
    } catch {
      // There is nowhere left to report it.
    }
  }
  return { output, finish }
}

/** Node writes to a terminal synchronously, and has no public way to change that: a paused one (Ctrl-S) would block the server. */
const writeWithoutBlocking = (terminal: WriteStream) =>
  (terminal as WriteStream & { _handle?: { setBlocking?(on: boolean): void } })._handle?.setBlocking?.(false)

/** Pipes, sockets and terminals. Errors are final. */
const openStream = (stream: NodeJS.WriteStream) => {
  stream.on('error', () => {})
  if (stream.isTTY) writeWithoutBlocking(stream as WriteStream)
  const sink: Sink = (text, done) => stream.write(text, done)
  const output = new BufferedOutput({ sink, describeLoss: lossLine, isFinal: () => true })
  return { output, finish: () => void stream.write(output.takePending()) }
}

let standard: Output | undefined

/** The standard output of this process: messages to the operator, and the log. */
export const standardOutput = (): Output => {
  if (standard) return standard
  const { output, finish } = isFile(1) ? openFile(1) : openStream(process.stdout)
  process.on('exit', finish)
  // A warning that Node writes to a closed stderr must not crash the server.
  process.stderr.on('error', () => {})
  standard = output
  return output
}

/** Prints a line for the operator. */
export const say = (line: string) => standardOutput().writeNow(`${line}\n`)

/** Exits once the last lines are written, or after a timeout if nobody reads them. */
export const endProcess = async (code: number) => {
  await standardOutput().flushed(LAST_LINES_MS)
  process.exit(code)
}
