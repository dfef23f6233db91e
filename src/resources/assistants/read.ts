import type { ApiReply } from './call-api.ts'
import { dataOf } from './call-api.ts'
import { type Arguments, callOf, findOperation } from './operations.ts'
import { MAX_RESULT_BYTES, sizeOf } from './result-text.ts'
import type { ToolContext } from './tool-context.ts'
import { ToolError } from './tool-error.ts'

/** Room for what a result says about itself. */
const ROOM = 600

// biome-ignore lint/suspicious/noExplicitAny: data of every operation.
type Data = any

const fits = (value: unknown) => sizeOf(value) <= MAX_RESULT_BYTES - ROOM
/** What a result leaves out of a reply makes it smaller. */
const replyFits = ({ size }: ApiReply, data: Data) => size <= MAX_RESULT_BYTES - ROOM || fits(data)

/** The largest fields, left out until the rest fits, each with its size. */
const leaveOutFields = (value: Data, path = ''): string[] => {
  if (value === null || typeof value !== 'object') return []
  const left: string[] = []
  const bySize = Object.entries(value)
    .map(([name, inner]) => ({ name, inner, size: sizeOf(inner) }))
    .sort((one, other) => other.size - one.size)
  let total = sizeOf(value)
  for (const { name, inner, size } of bySize) {
    if (total <= MAX_RESULT_BYTES - ROOM) break
    // The one thing that a reply shows is not left out itself.
    if (path === '' && bySize.length <= 2 && inner !== null && typeof inner === 'object' && !Array.isArray(inner)) {
      left.push(...leaveOutFields(inner, `${name}.`))
      total = sizeOf(value)
      continue
    }
    delete value[name]
    left.push(`${path}${name} (${Math.ceil(size / 1000)} kB)`)
    total -= size
  }
  return left
}

const answer = (data: Data, { ignored }: ApiReply, more: object = {}) => ({
  store_data: data,
  ...more,
  ...(ignored.length > 0 && { ignored_arguments: ignored }),
})

/** Any read of the API. A page that is too large is read again with fewer rows, so that its cursor goes on behind them. */
export const read = async ({ operations, callApi }: ToolContext, args: Arguments) => {
  const operation = findOperation(operations, args.operation, 'read')
  const given = (args.arguments ?? {}) as Arguments
  const fields = args.fields === undefined ? {} : { fields: args.fields }
  const cursor = args.cursor === undefined ? {} : { cursor: args.cursor }
  const ask = async (more: Arguments) => {
    const reply = await callApi(callOf(operation, { ...given, ...fields, ...cursor, ...more }))
    return { reply, data: dataOf(reply, operation.id) as Data }
  }
  let { reply, data } = await ask({})
  const { pagination } = data
  if (pagination) {
    const key = Object.keys(data).find((name) => Array.isArray(data[name])) as string
    const asked = data[key].length
    let rows = asked
    while (rows > 1 && !replyFits(reply, data)) {
      rows = Math.max(1, Math.min(rows - 1, Math.floor((rows * (MAX_RESULT_BYTES - ROOM)) / sizeOf(data))))
      const paging = { page_size: rows, ...(args.cursor === undefined && firstPage(given)) }
      ;({ reply, data } = await ask(paging))
    }
    if (replyFits(reply, data)) {
      const left = rows < asked ? { left_out: `${asked - rows} of ${asked} rows: go on with cursor` } : {}
      return answer(data, reply, { ...left, cursor: data.pagination.next_cursor })
    }
  }
  if (replyFits(reply, data)) return answer(data, reply)
  const left = leaveOutFields(data)
  if (!fits(data))
    throw new ToolError('The result is larger than 25 kB.', { field: 'fields', hint: 'Name the fields that you need.' })
  return answer(data, reply, { left_out: left, hint: 'Name what you need in fields to get it.' })
}

/** With fewer rows a page number would mean other rows. */
const firstPage = ({ page, page_size }: Arguments) => {
  if (page === undefined || Number(page) === 1) return {}
  throw new ToolError(`Page ${page} of ${page_size ?? 20} rows is larger than 25 kB.`, {
    field: 'page_size',
    hint: 'Ask for smaller pages, follow cursor from the first page, or name fields.',
  })
}
