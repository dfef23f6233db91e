import pino, { type Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { standardOutput } from './standard-output.ts'

export const openLog = ({ LOG_LEVEL }: Config): Logger =>
  pino({ level: LOG_LEVEL, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, standardOutput())
