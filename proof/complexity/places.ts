import type { Json } from '../record.ts'

/** A place for a value in a request, found in the OpenAPI document. */
export interface Place {
  name: string
  method: string
  /** With an unknown id in place of each parameter. */
  path: string
  /** The request with this value in the place; a query's value is text, one in a body is JSON. */
  query?: string
  body?: (value: string) => string
}

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'
const MAX_DEPTH = 4
const HOLE = '\u0000hole'

const resolve = (document: Json, shape: Json): Json => {
  if (!shape?.$ref) return shape
  const parts = (shape.$ref as string).slice(2).split('/')
  return resolve(
    document,
    parts.reduce((found, part) => found[part], document),
  )
}

/** The paths of all fields; `[]` stands for the entries of a list. */
const fieldsOf = (document: Json, given: Json, path: string[] = []): string[][] => {
  const shape = resolve(document, given)
  if (!shape || path.length > MAX_DEPTH) return []
  const inner = [...(shape.anyOf ?? []), ...(shape.oneOf ?? []), ...(shape.allOf ?? [])].flatMap((each: Json) =>
    fieldsOf(document, each, path),
  )
  const entries = shape.items ? fieldsOf(document, shape.items, [...path, '[]']) : []
  const own = Object.entries(shape.properties ?? {}).flatMap(([name, each]) => [
    [...path, name],
    ...fieldsOf(document, each, [...path, name]),
  ])
  return [...own, ...entries, ...inner]
}

/** The example with a hole in the place of the field. */
const withHole = (example: Json, [name, ...rest]: string[]): Json => {
  if (name === undefined) return HOLE
  if (name === '[]') return [withHole(Array.isArray(example) ? example[0] : undefined, rest)]
  const known = typeof example === 'object' && example !== null && !Array.isArray(example) ? example : {}
  return { ...known, [name]: withHole(known[name], rest) }
}

const bodyWith = (example: Json, path: string[]) => {
  const [before, after] = JSON.stringify(withHole(example, path)).split(JSON.stringify(HOLE)) as [string, string]
  return (value: string) => before + value + after
}

/** Every parameter of a query and every field of a JSON body. */
export const placesOf = (document: Json): Place[] => {
  const places = new Map<string, Place>()
  for (const [url, methods] of Object.entries(document.paths as Record<string, Json>))
    for (const [method, operation] of Object.entries(methods as Record<string, Json>)) {
      if (!operation.operationId) continue
      const path = url.replace(/\{\w+\}/g, UNKNOWN_ID)
      const request = { method: method.toUpperCase(), path }
      for (const given of operation.parameters ?? []) {
        const parameter = resolve(document, given)
        if (parameter.in !== 'query') continue
        const name = `${operation.operationId}?${parameter.name}`
        places.set(name, { name, ...request, query: parameter.name })
      }
      const content = operation.requestBody?.content?.['application/json']
      if (!content) continue
      const example = content.example ?? (Object.values(content.examples ?? {})[0] as Json)?.value ?? {}
      for (const field of fieldsOf(document, content.schema)) {
        const name = `${operation.operationId} ${field.join('.')}`
        places.set(name, { name, ...request, body: bodyWith(example, field) })
      }
    }
  return [...places.values()]
}
