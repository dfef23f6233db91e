import type { FastifyReply } from 'fastify'
import { ApiError } from '../../errors.ts'
import type { Tx } from '../storage/database.ts'
import { digest } from './encoded-body.ts'
import { innerCalls } from './inner-calls.ts'

// Only keys have unescaped quotes around `url`: inside string values they are escaped.
const SIGNED = String.raw`\?expires=\d+&signature=[0-9a-f]{64}`
/** The URLs of a file, present or withheld; a thumbnail's may be unsigned. */
const FILE_URLS = new RegExp(`"url":"(?:[^"?]*${SIGNED})?"|"thumbnail":(?:null|"[^"?]*/thumbnail(?:${SIGNED})?")`, 'g')

/** The JSON with all file URLs withheld, and these URLs. */
const withholdUrls = (json: string) => {
  const urls: string[] = []
  const rest = json.replace(FILE_URLS, (url) => {
    urls.push(url)
    return url.startsWith('"url"') ? '"url":""' : '"thumbnail":null'
  })
  return { rest, urls }
}

/**
 * Changes only when the resource does, and is the same for every caller: file URLs do not count, since signatures
 * expire and some callers may not see them.
 */
const versionOf = (json: string) => digest(withholdUrls(json).rest)

/**
 * The ETag of a resource: its version, which If-Match compares, and a digest of its file URLs, since a cached copy with
 * expired or withheld URLs must not be revalidated with 304.
 */
export const tagOf = (json: string) => {
  const { rest, urls } = withholdUrls(json)
  return `"${digest(rest)}.${digest(urls.join()).slice(0, 16)}"`
}

/** RFC 9110, section 13.1.1: any resource, or one of these tags; a weak tag never matches. */
const matches = (ifMatch: string, version: string) => {
  if (ifMatch.trim() === '*') return true
  return [...ifMatch.matchAll(/(W\/)?"([^"]*)"/g)].some(([, weak, tag]) => !weak && tag?.startsWith(`${version}.`))
}

/** The resource that a write changes. If-Match and the reply's ETag refer to it. */
export interface Versioned {
  /** Locks the resource, so that it cannot change between the comparison and the write. */
  lock: (db: Tx) => Promise<unknown>
  /** The resource as its GET shows it; undefined when there is none. */
  read: (db: Tx) => Promise<string | undefined>
}

/** The reply of a write: the resource, or a part of it. The ETag is that of the whole. */
export type WriteAnswer = string | { part: string; whole: string }

/** Runs a write unless If-Match names another version than the current one, and sets the reply's ETag. */
export const writeVersion = async (
  db: Tx,
  reply: FastifyReply,
  resource: Versioned | undefined,
  work: (db: Tx) => Promise<WriteAnswer>,
): Promise<string> => {
  const ifMatch = reply.request.headers['if-match']
  const { sees } = innerCalls.getStore() ?? {}
  let current: string | undefined
  if (resource && (ifMatch !== undefined || sees)) {
    await resource.lock(db)
    current = await resource.read(db)
    // The write itself reports a missing resource.
    if (ifMatch !== undefined && current !== undefined && !matches(ifMatch, versionOf(current)))
      throw new ApiError('version_mismatch')
  }
  const answer = await work(db)
  const { part, whole } = typeof answer === 'string' ? { part: answer, whole: answer } : answer
  if (sees && current !== undefined) sees({ before: current, etag: tagOf(current), after: whole })
  // A deleted resource has no version.
  if (whole && whole !== 'null') reply.header('ETag', tagOf(whole))
  return part
}
