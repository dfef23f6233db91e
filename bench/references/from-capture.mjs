/** Builds the references from captured requests. */

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

/** Finds the statement and column whose value is in the reply, and the text around it. */
const findShown = (statements, body) => {
  for (const statement of statements.toReversed())
    for (const [column, value] of Object.entries(statement.rows?.[0] ?? {}))
      if (typeof value === 'string' && value.length > 40 && body.includes(value)) {
        const at = body.indexOf(value)
        return { statement, column, before: body.slice(0, at), after: body.slice(at + value.length) }
      }
  throw new Error(`No statement yields the reply ${body.slice(0, 200)}`)
}

const key = (work) => work.name.toLowerCase().replace(/[^a-z0-9]+/g, '-')

const statement = (work, { path, body, statements }) => {
  const { statement, column, before, after } = findShown(statements, body)
  const { text, values } = statement
  return { name: key(work), kind: 'statement', text, values, id: UUID.exec(path)?.[0], column, before, after }
}

const variantsOf = (body) => (JSON.parse(body).variants ?? []).map(({ variant_id }) => variant_id)

const replay = (work, { body, statements }) => {
  const { column, before, after } = findShown(statements, body)
  const ref = /"ref":"([^"]+)"/.exec(body)?.[1]
  return {
    name: key(work),
    kind: 'replay',
    statements: statements.map(({ text, values, rows }) => ({ text, values, rows, bare: values.length === 0 })),
    unique: ['capture0', ...(ref ? [ref] : [])],
    variants: variantsOf(work.requests[0].body),
    column,
    before,
    after,
  }
}

export const referenceFor = (work, captured, folder) => {
  if (work.upload) return { name: key(work), kind: 'store', folder }
  if (work.against === 'L1') return { name: key(work), kind: 'fixed', body: captured.body }
  return work.against === 'L2' ? statement(work, captured) : replay(work, captured)
}

/** The same requests with the path of the reference. */
export const requestsOf = (work) =>
  (work.requests ?? []).map((request) => ({ ...request, path: `/${key(work)}${request.path}` }))
