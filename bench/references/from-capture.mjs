/** Builds the references from captured requests. */
import { CAPTURE_MARK } from '../paths.mjs'

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

const key = (work) => work.name.toLowerCase().replace(/[^a-z0-9]+/g, '-')

/** The rows of the one list of a reply, or nothing if the reply is a single resource. */
const listIn = (body) => Object.values(JSON.parse(body).data).find(Array.isArray)

/** The text of a list cut into its items, as they are: serializing them again would write some numbers otherwise. */
const splitList = (body, items) => {
  const starts = []
  for (const { id } of items) starts.push(body.indexOf(`{"id":"${id}"`, starts.at(-1)))
  const end = body.indexOf('],"pagination"', starts.at(-1))
  const rows = items.map(({ id }, place) => {
    const text = body.slice(starts[place], place + 1 < starts.length ? starts[place + 1] - 1 : end)
    if (JSON.parse(text).id !== id) throw new Error('A list was not cut into its items.')
    return { id, body: text }
  })
  return { rows, before: body.slice(0, starts[0]), after: body.slice(end) }
}

/** The replies, or the items of a list, as rows of a table: what a server that only looks them up would have to read. */
const documents = (work, replies) => {
  const items = listIn(replies[0].body)
  if (!items) {
    const rows = replies.map(({ path, body }) => ({ id: UUID.exec(path)?.[0], body }))
    return { name: key(work), kind: 'document', rows }
  }
  const { rows, before, after } = splitList(replies[0].body, items)
  return { name: key(work), kind: 'documents', rows, before, after }
}

const variantsOf = (body) => (JSON.parse(body).variants ?? []).map(({ variant_id }) => variant_id)

/** The ids of new rows: the first that is seen of them is a value, and the reply has them as ids of its own. */
const madeIds = (work, body, statements) => {
  const shown = (id) => body.includes(`"id":"${id}"`)
  let seen = work.requests[0].body
  const made = new Set()
  for (const { values, rows } of statements) {
    for (const id of JSON.stringify(values).match(new RegExp(UUID, 'g')) ?? [])
      if (!seen.includes(id) && shown(id)) made.add(id)
    seen += JSON.stringify([values, rows])
  }
  return [...made]
}

const replay = (work, { body, statements }) => {
  const ref = /"ref":"([^"]+)"/.exec(body)?.[1]
  return {
    name: key(work),
    kind: 'replay',
    statements: statements.map(({ text, values, rows }) => ({ text, values, rows, bare: values.length === 0 })),
    unique: [CAPTURE_MARK, ...(ref ? [ref] : [])],
    made: madeIds(work, body, statements),
    variants: variantsOf(work.requests[0].body),
    body,
  }
}

/** `captured` is the first request of the workload, or for a read all of them. */
export const referenceFor = (work, captured, folder) => {
  if (work.upload) return { name: key(work), kind: 'store', folder }
  if (work.against === 'L1') return { name: key(work), kind: 'fixed', body: captured.body }
  return work.against === 'L2' ? documents(work, captured) : replay(work, captured)
}

/** The same requests with the path of the reference. */
export const requestsOf = (work) =>
  (work.requests ?? []).map((request) => ({ ...request, path: `/${key(work)}${request.path}` }))
