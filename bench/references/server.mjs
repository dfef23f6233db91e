// The references: bare node:http and pg. One process, told over IPC what to serve at which path.
import { randomUUID } from 'node:crypto'
import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
const JSON_TYPE = 'application/json; charset=utf-8'

let pool
const answers = new Map()

const send = (response, body) => {
  response.writeHead(200, { 'Content-Type': JSON_TYPE, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

/** L1: a fixed body. */
const fixed = ({ body }) => {
  const answer = (_request, response) => send(response, body)
  return Object.assign(answer, { ignoresBody: true })
}

/** L2, a single read: the finished reply, looked up by its key. */
const document = ({ name }) => {
  const text = 'select body from bench_document where work = $1 and id = $2'
  return async (request, response) => {
    const { rows } = await pool.query({ name: 'document', text, values: [name, UUID.exec(request.url)?.[0]] })
    send(response, rows[0].body)
  }
}

/** L2, a list: the finished items, looked up by their keys and put into the envelope. */
const documents = ({ name, rows: items, before, after }) => {
  const text = 'select body from bench_document where work = $1 and id = any($2)'
  const ids = items.map(({ id }) => id)
  return async (_request, response) => {
    const { rows } = await pool.query({ name: 'documents', text, values: [name, ids] })
    send(response, before + rows.map(({ body }) => body).join(',') + after)
  }
}

const saveDocuments = async (works) => {
  await pool.query('create table bench_document (work text, id uuid, body text not null, primary key (work, id))')
  for (const { name, rows } of works.filter(({ rows }) => rows))
    await pool.query('insert into bench_document select $1, * from unnest($2::uuid[], $3::text[])', [
      name,
      rows.map(({ id }) => id),
      rows.map(({ body }) => body),
    ])
  await pool.query('vacuum analyze bench_document')
}

const bodyOf = async (request) => Buffer.concat(await request.toArray()).toString()

/** Notes which id of a result stands where the captured result had another. */
const learn = (was, is, known) => {
  if (typeof was === 'string' && typeof is === 'string') {
    if (was.length === 36 && UUID.test(was)) known.set(was, is)
  } else if (was && is && typeof was === 'object') {
    for (const key of Object.keys(was)) learn(was[key], is[key], known)
  }
}

/**
 * Replays the statements of a captured write. Values that must be unique, or that come from the result of an earlier
 * statement, replace the captured ones.
 */
const replay = ({ name, statements, unique, made, variants, body }) => {
  const fill = (value, known) => {
    if (Array.isArray(value)) return value.map((one) => fill(one, known))
    if (typeof value !== 'string') return value
    let text = value
    for (const [was, is] of known) if (text.includes(was)) text = text.replaceAll(was, is)
    return text
  }
  let counter = 0
  return async (request, response) => {
    const asked = JSON.parse(await bodyOf(request)).variants ?? []
    // The marks of the load generator count from 1 and never get this far.
    const mark = String(90_000_000 + ++counter)
    const known = new Map(unique.map((was) => [was, was.length === 8 ? mark : `${mark}${was.slice(8)}`]))
    for (const was of made) known.set(was, randomUUID())
    for (const [index, { variant_id }] of asked.entries()) known.set(variants[index], variant_id)
    const client = await pool.connect()
    try {
      for (const [index, { text, values, rows: captured, bare }] of statements.entries()) {
        const { rows } = await client.query(
          bare ? text : { name: `${name}_${index}`, text, values: values.map((value) => fill(value, known)) },
        )
        learn(captured, rows, known)
      }
      client.release()
    } catch (error) {
      client.release(true)
      throw error
    }
    send(response, body)
  }
}

/** L3: writes the body to a file as it arrives, then calls fsync. */
const store = ({ folder }) => {
  let counter = 0
  return async (request, response) => {
    const file = await open(path.join(folder ?? tmpdir(), `reference-${++counter}`), 'w')
    for await (const chunk of request) await file.write(chunk)
    await file.sync()
    await file.close()
    send(response, '{"stored":true}')
  }
}

const kinds = { fixed, document, documents, replay, store }

const server = createServer((request, response) => {
  const [, key] = (request.url ?? '').split('/', 2)
  const answer = answers.get(key)
  if (!answer) return response.writeHead(404, { 'Content-Length': 0 }).end()
  const done = answer(request, response)
  done?.catch((error) => {
    console.error(key, error.message)
    response.writeHead(500, { 'Content-Length': 0 }).end()
  })
  if (answer.ignoresBody) request.resume()
})

process.on('message', async (/** @type {any} */ { database, session, connections, works }) => {
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  pool = new pg.Pool({ ...database, max: connections, options: session })
  await saveDocuments(works)
  for (const work of works) answers.set(work.name, kinds[work.kind](work))
  server.listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
    process.send?.({ port })
  })
})
