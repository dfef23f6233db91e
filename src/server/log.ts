import pino, { type Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { logTimestamp } from '../http/request-log.ts'
import { standardOutput } from './output.ts'

export const openLog = ({ LOG_LEVEL }: Config): Logger =>
  pino({ level: LOG_LEVEL, base: undefined, timestamp: logTimestamp }, standardOutput())
