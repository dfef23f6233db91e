import type { RouteEntry } from '../../src/core/http/route-table.ts'
import type { JsonSchema } from '../../src/core/input/validation-messages.ts'

/** A place in a request that takes an id: in the path, the query or the body. `[]` stands for any index of an array. */
export interface IdPlace {
  part: 'params' | 'querystring' | 'body'
  path: string
}

/** A search may find rows by their id too. */
const isId = (name: string, { format, identifies }: JsonSchema) => format === 'uuid' || identifies || name === 'search'

const walk = (shape: JsonSchema, at: string, name: string): string[] => {
  if (isId(name, shape)) return [at]
  if (shape.anyOf) return [...new Set(shape.anyOf.flatMap((option) => walk(option, at, name)))]
  if (shape.items) return walk(shape.items, `${at}[]`, name)
  return Object.entries(shape.properties ?? {}).flatMap(([key, inner]) => walk(inner, at ? `${at}.${key}` : key, key))
}

export const idPlaces = ({ schema }: RouteEntry): IdPlace[] =>
  (['params', 'querystring', 'body'] as const).flatMap((part) =>
    walk((schema[part] ?? {}) as JsonSchema, '', '').map((path) => ({ part, path })),
  )

type Tree = Record<string, unknown>

/** A copy of `value` with every id at `path` replaced, or undefined if the path does not exist. */
export const withId = (value: unknown, path: string, id: string): unknown => {
  const [head = '', ...rest] = path.split('.')
  const key = head.replace(/\[\]$/, '')
  const tree = structuredClone(value) as Tree
  const inner = tree?.[key]
  if (inner === undefined || inner === null) return undefined
  const replace = (old: unknown) => (rest.length === 0 ? id : withId(old, rest.join('.'), id))
  if (head.endsWith('[]')) {
    const [first, ...others] = inner as unknown[]
    const replaced = replace(first)
    return replaced === undefined ? undefined : { ...tree, [key]: [replaced, ...others] }
  }
  const replaced = replace(inner)
  return replaced === undefined ? undefined : { ...tree, [key]: replaced }
}
