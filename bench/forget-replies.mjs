// Loaded with `--import`, it makes a server that remembers no reply, so that every read is made anew: it edits the code as
// it is loaded.
import { readdirSync, readFileSync } from 'node:fs'
import { register } from 'node:module'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** The condition under which a reply may have been remembered. */
const IS_UNKNOWN = 'if (!replies.has(key))'

if (isMainThread) register(import.meta.url)

/** @type {import('node:module').LoadHook} */
export const load = async (url, context, next) => {
  const loaded = await next(url, context)
  if (!url.includes('/chunks/') || !loaded.source) return loaded
  return { ...loaded, source: String(loaded.source).replace(IS_UNKNOWN, 'if (true)') }
}

/** Fails if the edit would change nothing, because the code has changed. */
export const requireEdit = (dist) => {
  const chunks = path.join(dist, 'chunks')
  const isEdited = (name) => name.endsWith('.js') && readFileSync(path.join(chunks, name), 'utf8').includes(IS_UNKNOWN)
  if (readdirSync(chunks).filter(isEdited).length !== 1)
    throw new Error('forget-replies.mjs finds nothing to edit in this build.')
}
