import type { Operation, Parameter } from './operations.ts'

/** A call as it was filled in. It has no token. */
export interface Call {
  operation: Operation
  /** By name, as `keyOf` gives it. Empty ones are not sent. */
  values: Readonly<Record<string, string>>
  body: string
  files: Readonly<Record<string, readonly File[]>>
  /** A write that is tried and rolled back. */
  isDry: boolean
}

/** Of a parameter in the address: `query.page_size`. */
export const keyOf = ({ place, name }: Pick<Parameter, 'place' | 'name'>) => `${place}.${name}`

export const KEY_HEADER = 'Idempotency-Key'

const given = ({ operation, values }: Call, place: Parameter['place']) =>
  operation.parameters
    .filter((one) => one.place === place)
    .flatMap((one): [Parameter, string][] => {
      const value = values[keyOf(one)]?.trim()
      return value ? [[one, value]] : []
    })

export const pathValues = (call: Call) =>
  Object.fromEntries(given(call, 'path').map(([{ name }, value]) => [name, value]))
export const queryValues = (call: Call) => given(call, 'query')
export const headerValues = (call: Call) =>
  Object.fromEntries(given(call, 'header').map(([{ name }, value]) => [name, value]))

/** Without them the address would be that of another operation. */
export const missingParameters = (call: Call) => {
  const values = pathValues(call)
  return call.operation.parameters.filter(({ place, name }) => place === 'path' && !values[name]).map(keyOf)
}

/** Below the base of the API, with the query. */
export const pathOf = (call: Call) => {
  const values = pathValues(call)
  const path = call.operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''))
  const query = new URLSearchParams(queryValues(call).map(([{ name }, value]): [string, string] => [name, value]))
  return `${path === '/' ? '' : path}${query.size > 0 ? `?${query}` : ''}`
}

/** Without the token and the type of the body. */
export const headersOf = (call: Call): Record<string, string> => ({
  ...headerValues(call),
  ...(call.isDry && { Prefer: 'dry-run' }),
})

export type Sent = 'nothing' | 'json' | 'lines' | 'form'

export const formatOf = ({ operation: { body }, body: text, files }: Call): Sent => {
  if (!body) return 'nothing'
  if (body.isPlainForm || Object.values(files).some((list) => list.length > 0)) return 'form'
  if (text.trim() === '') return 'nothing'
  return body.kind
}

export const chosenFiles = ({ files }: Call) =>
  Object.entries(files).flatMap(([name, list]) => list.map((file) => ({ name, file })))

const readObject = (text: string): object => {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** The fields of a form: plain ones beside a single file, otherwise JSON in one part. */
export const formFields = ({ operation: { body }, body: text }: Call): [string, string][] => {
  if (!body?.isPlainForm) return [['metadata', text]]
  return Object.entries(readObject(text)).map(([name, value]) => [name, String(value)])
}
