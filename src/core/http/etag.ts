import { hash } from 'node:crypto'

export const digest = (text: string | Buffer) => hash('sha1', text, 'base64url')

export const etagOf = (body: string | Buffer) => `"${digest(body)}"`

/** Whether If-None-Match lists this tag. Compares weakly: proxies that compress mark tags as weak. */
export const matchesEtag = (header: string | undefined, etag: string) =>
  header !== undefined &&
  (header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))
