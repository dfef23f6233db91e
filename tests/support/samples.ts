import { readdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import type { TestApi } from './api.ts'
import type { Caller } from './caller.ts'

/** A request that succeeds with the store's own ids, and must not succeed with another store's. */
export interface Sample {
  /** `POST /product`: as in the route table, without the prefix. */
  route: string
  params?: Record<string, string>
  querystring?: Record<string, unknown>
  body?: Record<string, unknown>
  /** Contains an id where even the store's own is refused. */
  refused?: boolean
}

/** The rows that the seeds of all slices create in a store, by name. */
// biome-ignore lint/suspicious/noExplicitAny: rows of every slice, in the shapes of their own schemas.
export type Seeded = Record<string, any>

export interface SeedContext {
  api: TestApi
  /** Has every permission. */
  all: Caller
  /** Creates a resource through the API and returns `data` of the reply. */
  make: (path: string, body: unknown) => Promise<Seeded>
  known: Seeded
}

/** Exports of `src/<slice>/samples.ts`. */
export interface SliceSamples {
  /** Names that other slices must seed first. */
  needs?: string[]
  seed?: (context: SeedContext) => Promise<Seeded>
  samples?: (store: Seeded) => Sample[]
  /** Sent last, because they delete what the others need. */
  removals?: (store: Seeded) => Sample[]
}

const SRC = new URL('../../src/resources/', import.meta.url)

/** The samples of every slice. */
export const collectSamples = (): Promise<SliceSamples[]> => {
  const slices = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const files = slices.flatMap(({ name }) =>
    readdirSync(new URL(`${name}/`, SRC)).includes('samples.ts') ? [new URL(`${name}/samples.ts`, SRC)] : [],
  )
  return Promise.all(files.map((file) => import(pathToFileURL(file.pathname).href) as Promise<SliceSamples>))
}

/** Seeds the store, in the order that `needs` requires. */
export const seedStore = async (slices: SliceSamples[], api: TestApi): Promise<Seeded> => {
  const all = await api.as()
  const make = async (path: string, body: unknown) => {
    const reply = await all.post(path, body)
    expect([200, 201], `${path}: ${reply.text}`).toContain(reply.status)
    return reply.body.data
  }
  const known: Seeded = {}
  let waiting = slices
  while (waiting.length > 0) {
    const ready = waiting.filter(({ needs = [] }) => needs.every((name) => name in known))
    if (ready.length === 0) throw new Error(`Nobody seeds what is needed: ${waiting.flatMap(({ needs }) => needs)}.`)
    for (const { seed } of ready) Object.assign(known, await seed?.({ api, all, make, known }))
    waiting = waiting.filter((slice) => !ready.includes(slice))
  }
  return known
}
