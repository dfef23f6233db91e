// Runs the built server in this process and records the statements of each request, for the references and for plans.
import pg from 'pg'
import { CAPTURE_MARK, fromDist } from './paths.mjs'

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

/** Replaces `{data.file.id}` in a path by that value of the last JSON reply, and a URL by its path. */
const fill = (path, found) =>
  path.replace(/\{([\w.]+)\}/g, (_, place) => {
    const last = JSON.parse(found.findLast(({ body }) => body.startsWith('{')).body)
    const value = place.split('.').reduce((part, key) => part[key], last)
    return value.startsWith('http') ? new URL(value).pathname : value
  })

/** Sends the requests and returns each with its reply and its statements. */
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
          body: typeof body === 'string' ? body.replaceAll('########', CAPTURE_MARK) : body,
        })
      // A read is sent twice, so that the caches are warm.
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

// A separate process, because the patch of pg.Client cannot be undone.
process.once('message', async (/** @type {any} */ job) => {
  const answer = await capture(job).then(
    (found) => ({ found }),
    (error) => ({ error: String(error.stack) }),
  )
  process.send?.(answer, () => process.exit())
})
