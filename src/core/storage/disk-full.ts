import { errorCode } from './database.ts'

const FULL = new Set(['ENOSPC', 'EDQUOT', '53100'])

/** The disk for files, or PostgreSQL's, is full. */
export const isDiskFull = (error: unknown): boolean => FULL.has(errorCode(error))
