import { fstatSync, writeFile, writeSync } from 'node:fs'
import type { WriteStream } from 'node:tty'

/** Kept for a reader that does not keep up; what comes beyond is dropped and counted. */
const MAX_PENDING_CHARS = 1024 * 1024
// Lines are written some at a time: a system call for each would cost more than the rest of the line.
const CHUNK_CHARS = 4096
const FLUSH_MS = 100
/** How long the last lines are waited for. */
const LAST_LINES_MS = 1_000

type Sink = (text: string, done: (error?: Error | null) => void) => void

export interface Output {
  /** Takes whole lines. Never blocks and never throws, whatever has become of the reader. */
  write(lines: string): void
  /** As `write`, for a person who waits for the line. */
  writeNow(lines: string): void
  /** Resolves once everything is written, or after so many milliseconds. */
  flushed(ms: number): Promise<void>
}

/**
 * An output for a sink that may be slow, stuck or broken. `describeLoss` makes the line that tells how many were
 * dropped. `isOver` says of an error that nothing will ever be written again.
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
  `${JSON.stringify({ level: 40, time: new Date().toISOString(), dropped: lines, msg: 'Log lines were dropped: the output did not take them.' })}\n`

const isFile = (fd: number) => {
  try {
    return fstatSync(fd).isFile()
  } catch {
    return false
  }
}

/** A disk that is full takes lines again later. */
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
      // There is nowhere left to tell it.
    }
  }
  return { output, finish }
}

/** Pipes, sockets and terminals. Once broken they stay so. */
const openStream = (stream: NodeJS.WriteStream) => {
  stream.on('error', () => {})
  // Node writes to a terminal in blocking mode: one that is halted (Ctrl-S) would halt the server.
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

/** Standard output, for all of this process: what the operator is told, and the log. */
export const standardOutput = (): Output => {
  if (standard) return standard
  const { output, finish } = isFile(1) ? openFile(1) : openStream(process.stdout)
  process.on('exit', finish)
  // A warning of Node's must not be the end of the server either.
  process.stderr.on('error', () => {})
  standard = output
  return output
}

/** Tells the operator something. */
export const say = (line: string) => standardOutput().writeNow(`${line}\n`)

/** Ends the process once its last lines are written, or if nobody takes them. */
export const endProcess = async (code: number) => {
  await standardOutput().flushed(LAST_LINES_MS)
  process.exit(code)
}
