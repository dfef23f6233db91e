import { dataOf } from './call-api.ts'
import { type Arguments, callOf, findOperation, type Operation, parameterNames } from './operations.ts'
import type { ToolContext } from './tool-context.ts'
import { ToolError } from './tool-error.ts'

export const MAX_ITEMS = 200

// biome-ignore lint/suspicious/noExplicitAny: rows of every kind.
type Row = any

const isObject = (value: unknown): value is Arguments =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const tooMany = (count: number | string) =>
  new ToolError(`A plan has at most ${MAX_ITEMS} items; these are ${count}.`, {
    hint: 'Narrow the filter, or make several plans one after the other.',
  })

/** All rows of a list that a filter names. */
const rowsOf = async ({ operations, callApi }: ToolContext, filter: Arguments): Promise<Row[]> => {
  const list = findOperation(operations, filter.operation, 'read')
  const { arguments: wanted = {} } = filter
  // Ignored, they would let every row through.
  if (!isObject(wanted)) throw new ToolError('filter.arguments must be an object.', { field: 'filter.arguments' })
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const paging = { page_size: MAX_ITEMS, ...(cursor && { cursor }) }
    const given = { ...wanted, ...paging }
    const data: Row = dataOf(await callApi(callOf(list, given)), list.id)
    const key = Object.keys(data).find((name) => Array.isArray(data[name]))
    if (!key) throw new ToolError(`${list.id} is not a list.`, { field: 'filter.operation' })
    rows.push(...data[key])
    if (rows.length > MAX_ITEMS || (data.pagination?.total ?? 0) > MAX_ITEMS)
      throw tooMany(data.pagination?.total ?? `more than ${MAX_ITEMS}`)
    cursor = data.pagination?.next_cursor ?? null
  } while (cursor)
  return rows
}

const valueAt = (row: Row, path: string) => path.split('.').reduce((value, name) => value?.[name], row)

const COMPUTED = ['$multiply', '$add', '$copy']

/**
 * `{"$multiply": 1.05}` and `{"$add": -2}` change the number that the row has in the same place, or in `$of`; `$round` says
 * to how many decimals, 2 unless given. `{"$copy": "title"}` takes the value of another field.
 */
const compute = (value: unknown, row: Row, path: string): unknown => {
  if (Array.isArray(value)) return value.map((inner, index) => compute(inner, row, `${path}.${index}`))
  if (!isObject(value)) return value
  if (!COMPUTED.some((name) => name in value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, compute(inner, row, path ? `${path}.${name}` : name)]),
    )
  if (typeof value.$copy === 'string') return valueAt(row, value.$copy)
  const of = typeof value.$of === 'string' ? value.$of : path
  const current = valueAt(row, of)
  const [factor, added, decimals] = [Number(value.$multiply ?? 1), Number(value.$add ?? 0), Number(value.$round ?? 2)]
  if (typeof current !== 'number')
    throw new ToolError(`${of} is no number in every row of the filter.`, {
      field: `change.${path}`,
      hint: 'Name the field that has the number: {"$multiply": 1.05, "$of": "default.price"}.',
    })
  if (![factor, added, decimals].every(Number.isFinite) || decimals < 0 || decimals > 3)
    throw new ToolError('$multiply, $add and $round must be numbers, $round from 0 to 3.', { field: `change.${path}` })
  return Number((current * factor + added).toFixed(decimals))
}

/** The arguments of each item: those of a list, or of one change for every row of a filter. */
export const itemsOf = async (context: ToolContext, operation: Operation, args: Arguments): Promise<Arguments[]> => {
  const { items, filter, change } = args
  if (items !== undefined && filter !== undefined)
    throw new ToolError('Pass items, or filter and change, not both.', { field: 'filter' })
  if (Array.isArray(items)) {
    if (items.length === 0 || !items.every(isObject))
      throw new ToolError('items must be a list of objects, each with the arguments of one request.', {
        field: 'items',
      })
    if (items.length > MAX_ITEMS) throw tooMany(items.length)
    return items
  }
  if (!isObject(filter))
    throw new ToolError('Pass items, or filter and change.', {
      field: 'items',
      hint: `items: [{…}] with the arguments of ${operation.id}; or filter: {operation: "listProducts", arguments: {…}} and change: {…}.`,
    })
  const rows = await rowsOf(context, filter)
  if (rows.length === 0)
    throw new ToolError('The filter finds nothing.', { field: 'filter', hint: 'Try it with the tool read first.' })
  const [own] = parameterNames(operation).path
  if (!own) throw new ToolError(`${operation.id} does not act on one resource: pass items.`, { field: 'filter' })
  return rows.map((row) => ({ [own]: row.id, ...(compute(change ?? {}, row, '') as Arguments) }))
}
