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

/**
 * Buffers lines for a sink that may be slow, stuck or broken. `describeLoss` returns the line that reports how many lines
 * were dropped. `isOver` decides whether an error is final.
 */
export const createOutput = (
  sink: Sink,
  describeLoss: (lines: number) => string,
  isOver: (error: Error) => boolean,
): Output & { rest(): string } => {
  let pending = ''
  let dropped = 0
  let writing = false
  let over = false
  let timer: NodeJS.Timeout | undefined
  let waiting: (() => void)[] = []

  const settle = () => {
    for (const resolve of waiting) resolve()
    waiting = []
  }
  const rest = () => {
    clearTimeout(timer)
    timer = undefined
    const text = (dropped > 0 ? describeLoss(dropped) : '') + pending
    pending = ''
    dropped = 0
    return text
  }
  const pump = () => {
    if (writing) return
    const text = rest()
    if (text === '') return settle()
    writing = true
    sink(text, (error) => {
      writing = false
      if (!error) return pump()
      over = isOver(error)
      if (over) pending = ''
      else dropped += countLines(text)
      settle()
    })
  }
  const write = (lines: string) => {
    if (over) return
    if (pending.length + lines.length > MAX_PENDING_CHARS) {
      dropped += countLines(lines)
      return
    }
    pending += lines
    if (pending.length >= CHUNK_CHARS) pump()
    else timer ??= setTimeout(pump, FLUSH_MS).unref()
  }
  return {
    write,
    writeNow: (lines) => {
      write(lines)
      pump()
    },
    flushed: async (ms) => {
      pump()
      if (!writing || over) return
      let late: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        late = setTimeout(resolve, ms)
      })
      clearTimeout(late)
    },
    rest,
  }
}

const countLines = (text: string) => text.split('\n').length - 1

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
  const output = createOutput(
    (text, done) => writeFile(fd, text, done),
    lossLine,
    () => false,
  )
  const finish = () => {
    try {
      writeSync(fd, output.rest())
    } catch {
      // There is nowhere left to report it.
    }
  }
  return { output, finish }
}

/** Pipes, sockets and terminals. Errors are final. */
const openStream = (stream: NodeJS.WriteStream) => {
  stream.on('error', () => {})
  // Node writes to a terminal synchronously: a paused one (Ctrl-S) would block the server.
  if (stream.isTTY)
    (stream as WriteStream & { _handle?: { setBlocking?(on: boolean): void } })._handle?.setBlocking?.(false)
  const output = createOutput(
    (text, done) => stream.write(text, done),
    lossLine,
    () => true,
  )
  return { output, finish: () => void stream.write(output.rest()) }
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
