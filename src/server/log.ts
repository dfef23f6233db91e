import pino, { type Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { standardOutput } from './standard-output.ts'

export const openLog = ({ LOG_LEVEL }: Config): Logger =>
  pino({ level: LOG_LEVEL, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, standardOutput())

/** Fastify's own log. At `info` it only reports its address, which the banner already shows on a terminal. */
export const frameworkLog = (log: Logger): Logger =>
  process.stdout.isTTY && log.level === 'info' ? log.child({}, { level: 'warn' }) : log
