import type { IncomingHttpHeaders } from 'node:http'
import type { ByteRange } from '../../core/storage/blobs/blobs.ts'

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/

/** If the file has changed since (If-Range), the whole file is sent instead of the range. */
const isStale = (ifRange: string | string[] | undefined, etag: string, lastModified: Date) => {
  if (typeof ifRange !== 'string') return false
  if (ifRange.includes('"')) return ifRange !== etag
  return Date.parse(ifRange) !== Math.floor(lastModified.getTime() / 1000) * 1000
}

/** The requested range of `size` bytes, or undefined for the whole file. */
export const readRange = (
  headers: IncomingHttpHeaders,
  size: number,
  etag: string,
  lastModified: Date,
): ByteRange | 'unsatisfiable' | undefined => {
  const [, from = '', to = ''] = ONE_RANGE.exec(headers.range ?? '') ?? []
  if (from === '' && to === '') return undefined
  if (isStale(headers['if-range'], etag, lastModified)) return undefined
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return first <= last ? { first, last } : 'unsatisfiable'
}
