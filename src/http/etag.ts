import { hash } from 'node:crypto'

/** Tells one text from another. */
export const digest = (text: string | Buffer) => hash('sha1', text, 'base64url')

export const etagOf = (body: string | Buffer) => `"${digest(body)}"`

/** Whether the caller's header names this tag. Proxies that compress mark tags as weak; that changes nothing here. */
export const matchesEtag = (header: string | undefined, etag: string) =>
  header !== undefined &&
  (header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))
