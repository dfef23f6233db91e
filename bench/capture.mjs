// Runs the built server in this process and notes every statement it sends for a request, so that the references can
// send the very same, and plans can be looked at.
import pg from 'pg'
import { fromDist } from './places.mjs'

let noted

const client = /** @type {any} */ (pg.Client.prototype)
const plainQuery = client.query
client.query = function (config, values, ...rest) {
  const answer = plainQuery.call(this, config, values, ...rest)
  if (!noted || typeof answer?.then !== 'function') return answer
  const entry = {
    text: typeof config === 'string' ? config : config.text,
    values: (typeof config === 'string' ? values : config.values) ?? [],
  }
  noted.push(entry)
  return answer.then((result) => {
    entry.rows = result.rows
    return result
  })
}

/** `{data.file.id}` in a path is what the last answer in JSON has there; of an address, the path. */
const fill = (path, found) =>
  path.replace(/\{([\w.]+)\}/g, (_, place) => {
    const last = JSON.parse(found.findLast(({ body }) => body.startsWith('{')).body)
    const value = place.split('.').reduce((part, key) => part[key], last)
    return value.startsWith('http') ? new URL(value).pathname : value
  })

/** Each request with its reply and its statements, in the sequence in which they were sent. */
const capture = async ({ env, connection, requests }) => {
  const [{ readConfig }, { startHttpServer }] = await Promise.all([
    fromDist('config/config.js'),
    fromDist('server/http-server.js'),
  ])
  const server = await startHttpServer(readConfig({ ...env, PORT: '0', LOG_LEVEL: 'silent' }), connection)
  try {
    const found = []
    for (const { method = 'GET', path: written, headers, body } of requests) {
      const path = fill(written, found)
      const send = () =>
        fetch(`http://127.0.0.1:${server.port}${path}`, {
          method,
          headers,
          body: typeof body === 'string' ? body.replaceAll('########', 'capture0') : body,
        })
      // Once for the caches that a first request fills; a write only once.
      if (method === 'GET') await (await send()).text()
      noted = []
      const reply = await send()
      const text = await reply.text()
      found.push({ path, status: reply.status, body: text, statements: noted })
      noted = undefined
    }
    return found
  } finally {
    await server.close()
  }
}

// A process of its own, since what is wrapped here stays wrapped.
process.once('message', async (/** @type {any} */ job) => {
  const answer = await capture(job).then(
    (found) => ({ found }),
    (error) => ({ error: String(error.stack) }),
  )
  process.send?.(answer, () => process.exit())
})
