import type { FastifyReply } from 'fastify'
import { ApiError } from '../errors.ts'
import type { Tx } from '../storage/database.ts'
import { digest } from './etag.ts'

// Only PostgreSQL's own rendering puts bare quotes around `url`: inside a text of the shop they are escaped.
const SIGNED = String.raw`\?expires=\d+&signature=[0-9a-f]{64}`
/** The addresses of a file, as they are given or withheld; of the thumbnail also without a signature. */
const ADDRESSES = new RegExp(`"url":"(?:[^"?]*${SIGNED})?"|"thumbnail":(?:null|"[^"?]*/thumbnail(?:${SIGNED})?")`, 'g')

const withheld = (address: string) => (address.startsWith('"url"') ? '"url":""' : '"thumbnail":null')

/**
 * Stays the same while nothing a resource shows changes, and for every caller: how the addresses of its files are
 * signed, and who is given them, does not count.
 */
const versionOf = (json: string) => digest(json.replace(ADDRESSES, withheld))

/**
 * The ETag of a resource: its version, which If-Match compares, and the addresses of its files, since a copy whose
 * addresses have expired, or were withheld, must not be confirmed with 304.
 */
export const tagOf = (json: string) =>
  `"${versionOf(json)}.${digest((json.match(ADDRESSES) ?? []).join()).slice(0, 16)}"`

/** RFC 9110, section 13.1.1: any resource, or one of these tags; a weak tag never matches. */
const matches = (ifMatch: string, version: string) => {
  if (ifMatch.trim() === '*') return true
  return [...ifMatch.matchAll(/(W\/)?"([^"]*)"/g)].some(([, weak, tag]) => !weak && tag?.startsWith(`${version}.`))
}

/** The resource that a write changes: what its If-Match is about, and what its answer's ETag names. */
export interface Versioned {
  /** Takes the lock under which the resource is changed: what is compared must still be true when it is written. */
  lock: (db: Tx) => Promise<unknown>
  /** The resource as its GET shows it; undefined when there is none. */
  read: (db: Tx) => Promise<string | undefined>
}

/** What a write answers: the resource, or a part of it. The ETag names the whole. */
export type WriteAnswer = string | { part: string; whole: string }

/** Runs a write unless If-Match names another version than the one it would change, and tags the answer. */
export const writeVersion = async (
  db: Tx,
  reply: FastifyReply,
  resource: Versioned | undefined,
  work: (db: Tx) => Promise<WriteAnswer>,
): Promise<string> => {
  const ifMatch = reply.request.headers['if-match']
  if (resource && ifMatch !== undefined) {
    await resource.lock(db)
    const current = await resource.read(db)
    // What is not there is for the write to say.
    if (current !== undefined && !matches(ifMatch, versionOf(current))) throw new ApiError('version_mismatch')
  }
  const answer = await work(db)
  const { part, whole } = typeof answer === 'string' ? { part: answer, whole: answer } : answer
  // What is gone has no version.
  if (whole && whole !== 'null') reply.header('ETag', tagOf(whole))
  return part
}
