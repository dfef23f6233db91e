import type { Reader } from '../../core/reading/reader.ts'
import type { Db } from '../../core/storage/database.ts'

/** How many resources are read at once. */
export const RESOURCES_PER_READ = 20

/** Resources as they were at one moment. */
export interface ReadData {
  asOf: string
  /** By kind and id. Deleted resources are left out. */
  texts: ReadonlyMap<string, string>
}

export const dataKey = (kind: string, id: string) => `${kind} ${id}`

/** Texts come in the order of the ids, and each begins with its own id. */
export const textsById = (kind: string, ids: readonly string[], texts: readonly string[]): Map<string, string> => {
  const found = new Map<string, string>()
  for (const id of ids) {
    const text = texts[found.size]
    if (text?.startsWith(`{"id":"${id}"`)) found.set(dataKey(kind, id), text)
  }
  if (found.size !== texts.length) throw new Error(`A text of the kind ${kind} does not begin with its id.`)
  return found
}

/** The given resources, one read per kind. */
export const readData = async (
  db: Db,
  reader: Reader,
  resources: Iterable<{ kind: string; resource_id: string }>,
): Promise<ReadData> => {
  const asOf = new Date().toISOString()
  const wanted = new Map<string, Set<string>>()
  for (const { kind, resource_id } of resources) wanted.set(kind, (wanted.get(kind) ?? new Set()).add(resource_id))
  const texts = new Map<string, string>()
  for (const [kind, ids] of wanted)
    for (const [key, text] of textsById(kind, [...ids], await reader.many(db, kind, [...ids]))) texts.set(key, text)
  return { asOf, texts }
}
