/** Builds the references from captured requests. */

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

const key = (work) => work.name.toLowerCase().replace(/[^a-z0-9]+/g, '-')

/** The rows of the one list of a reply, or nothing if the reply is a single resource. */
const listIn = (body) => Object.values(JSON.parse(body).data).find(Array.isArray)

/** The replies, or the items of a list, as rows of a table: what a server that only looks them up would have to read. */
const documents = (work, replies) => {
  const items = listIn(replies[0].body)
  if (!items) {
    const rows = replies.map(({ path, body }) => ({ id: UUID.exec(path)?.[0], body }))
    return { name: key(work), kind: 'document', rows }
  }
  const rows = items.map((item) => ({ id: item.id, body: JSON.stringify(item) }))
  const [before, after] = replies[0].body.split(rows.map(({ body }) => body).join(','))
  if (after === undefined)
    throw new Error(`The items of ${work.name} are not in its reply as they are serialized here.`)
  return { name: key(work), kind: 'documents', rows, before, after }
}

const variantsOf = (body) => (JSON.parse(body).variants ?? []).map(({ variant_id }) => variant_id)

const replay = (work, { body, statements }) => {
  const ref = /"ref":"([^"]+)"/.exec(body)?.[1]
  return {
    name: key(work),
    kind: 'replay',
    statements: statements.map(({ text, values, rows }) => ({ text, values, rows, bare: values.length === 0 })),
    unique: ['capture0', ...(ref ? [ref] : [])],
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
