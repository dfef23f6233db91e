import { errorCode as codeOf } from './database.ts'

const FULL = new Set(['ENOSPC', 'EDQUOT', '53100'])

/** No room is left, on the disk for files or on PostgreSQL's. */
export const isDiskFull = (error: unknown): boolean => FULL.has(codeOf(error))
