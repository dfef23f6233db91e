import pino, { type DestinationStream, type Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { standardOutput } from './output.ts'

/** The moment, as a field of a line. Made once a millisecond: a busy server writes many lines in each. */
const time = (() => {
  let moment = 0
  let field = ''
  return () => {
    const now = Date.now()
    if (now !== moment) {
      moment = now
      field = `,"time":"${new Date(now).toISOString()}"`
    }
    return field
  }
})()

export const openLog = ({ LOG_LEVEL }: Config): Logger =>
  pino({ level: LOG_LEVEL, base: undefined, timestamp: time }, standardOutput())

/**
 * For the line that every request writes: its fields, as JSON already, go where the log goes. Putting an object through
 * pino takes four times as long, a tenth of a short request.
 */
export const infoLines = (log: Logger): ((fields: string) => void) => {
  if (!log.isLevelEnabled('info')) return () => {}
  const destination = (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym] as DestinationStream
  return (fields) => destination.write(`{"level":${pino.levels.values.info}${time()},${fields}}\n`)
}
