// What the protocol of assistants adds to a read: the same product by `GET /product/{id}` and by the tool `read`, in turn.
//   npm run build && node bench/assistants.mjs [ROUNDS]
import { mkdirSync } from 'node:fs'
import { Agent, request } from 'node:http'
import path from 'node:path'
import { APP, copyData, pickTargets, prepareData } from './data.mjs'
import { api, dataDir, fromDist } from './paths.mjs'
import { cpuSeconds, databaseUrl, residentMb, startServer } from './processes.mjs'
import { median, printTable } from './table.mjs'

const ROUNDS = Number(process.argv[2] ?? 2_000)
const WARM_UP = 500
/** Of one kind in a row, so that the CPU time of each can be told. */
const BATCH = 100
const PROTOCOL = '2025-11-25'

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Answers with the text of the reply and how long it took. */
const send = (port, { method = 'GET', path, headers, body }) =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const sent = request({ agent, host: '127.0.0.1', port, method, path: api + path, headers }, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      reply.on('end', () => {
        if (reply.statusCode !== 200) return reject(new Error(`${path} answered ${reply.statusCode}: ${text}`))
        resolve({ text, ms: performance.now() - began })
      })
    })
    sent.on('error', reject).end(body)
  })

const measure = async ({ pid, port }, requests) => {
  const cpu = cpuSeconds(pid)
  const times = []
  for (const one of requests) times.push((await send(port, one)).ms)
  return { times, cpuMs: ((cpuSeconds(pid) - cpu) / requests.length) * 1000 }
}

const { openEngine } = await fromDist('core/storage/embedded/engine.js')
mkdirSync(dataDir, { recursive: true })
const engine = await openEngine(dataDir, { kind: 'command', name: 'bench' }, console.error)
try {
  const database = await copyData(engine.admin, await prepareData(engine.admin, 's', console.error))
  const server = await startServer({
    DATABASE_URL: databaseUrl(engine.admin, database),
    DATA_DIR: path.join(dataDir, 'files'),
    TOKEN_SECRET: 'a secret of thirty-two bytes or more, for the bench',
  })
  try {
    const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
    const granted = await send(server.port, {
      ...{ method: 'POST', path: '/auth/get-token', headers: json, body: JSON.stringify(APP) },
    })
    const headers = { ...json, Authorization: `Bearer ${JSON.parse(granted.text).data.token}` }
    const { product } = await pickTargets({ ...engine.admin, database })
    const get = (id) => ({ path: `/product/${id}`, headers })
    const read = (id) => ({
      method: 'POST',
      path: '/mcp',
      headers: { ...headers, 'MCP-Protocol-Version': PROTOCOL },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'read', arguments: { operation: 'getProduct', arguments: { id } } },
      }),
    })
    const batch = (make, n) => Array.from({ length: BATCH }, (_, i) => make(product[(n * BATCH + i) % product.length]))
    for (let n = 0; n * BATCH < WARM_UP; n++) await measure(server, batch(get, n))
    const before = residentMb(server.pid)
    const first = await send(server.port, read(product[0]))
    if (!first.text.includes(product[0])) throw new Error(`The tool read answered ${first.text}`)
    const added = residentMb(server.pid) - before
    for (let n = 0; n * BATCH < WARM_UP; n++) await measure(server, batch(read, n))
    /** @type {Record<'get' | 'read', { times: number[], cpuMs: number }[]>} */
    const found = { get: [], read: [] }
    for (let n = 0; n * BATCH < ROUNDS; n++) {
      found.get.push(await measure(server, batch(get, n)))
      found.read.push(await measure(server, batch(read, n)))
    }
    const ms = (name) => median(found[name].flatMap(({ times }) => times))
    const cpu = (name) => median(found[name].map(({ cpuMs }) => cpuMs))
    printTable({
      rows: [
        { name: 'GET /product/{id}', ms: ms('get'), cpu: cpu('get') },
        { name: 'read of getProduct, by POST /mcp', ms: ms('read'), cpu: cpu('read') },
      ],
      columns: [
        ['median of each', ({ name }) => name],
        ['ms', ({ ms }) => ms.toFixed(2)],
        ['CPU ms', ({ cpu }) => cpu.toFixed(2)],
      ],
      facts: {
        'added by the protocol, ms': { value: (ms('read') - ms('get')).toFixed(2), most: 3 },
        'first request of an assistant, ms': { value: Math.round(first.ms) },
        'RSS added by it, MB': { value: Math.round(added) },
      },
    })
  } finally {
    await server.stop()
  }
} finally {
  agent.destroy()
  await engine.close()
}
