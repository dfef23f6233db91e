import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { measureBuilds } from './builds.mjs'
import { CONNECTIONS, compare, WARM_UP_MS } from './compare.mjs'
import { measureConsole } from './console.mjs'
import { APP, copyData, pickTargets, prepareData } from './data.mjs'
import { measureEvents } from './events.mjs'
import { measureGrowth } from './growth.mjs'
import { api, bench, dataDir, fromDist, root } from './paths.mjs'
import { showPlans } from './plans.mjs'
import { databaseUrl, helper, residentMb, startForgetfulServer, startServer } from './processes.mjs'
import { referenceFor, requestsOf } from './references/from-capture.mjs'
import { printTable } from './table.mjs'
import { smallWorkloads, uploadWork } from './workloads.mjs'

const { values: options } = parseArgs({
  options: {
    large: { type: 'boolean', default: false },
    plans: { type: 'boolean', default: false },
    events: { type: 'boolean', default: false },
    console: { type: 'boolean', default: false },
    before: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string', default: '13' },
    ms: { type: 'string', default: '400' },
  },
})
const say = (text) => console.error(text)
const { SESSION_OPTIONS } = await fromDist('core/storage/database.js')
const POOL = 10
const files = path.join(dataDir, 'files')

const environment = (engine, database) => ({
  DATABASE_URL: databaseUrl(engine, database),
  DATABASE_POOL: String(POOL),
  DATA_DIR: files,
  // Replies contain the same URLs whatever the port.
  BASE_URL: 'http://localhost:3000',
  TOKEN_SECRET: 'a secret of thirty-two bytes or more, for the bench',
})

const getToken = async ({ port }, credentials = APP) => {
  const reply = await fetch(`http://127.0.0.1:${port}${api}/auth/get-token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  return /** @type {any} */ (await reply.json()).data.token
}

const captureAll = async (env, connection, requests) => {
  const child = helper('capture.mjs')
  const { found } = await child.ask({ env, connection, requests })
  child.stop()
  for (const { path, status, body } of found) if (status >= 300) throw new Error(`${path} answered ${status}: ${body}`)
  return found
}

/** What each workload sends and gets: of reads every request, of the others the first. */
const captureWorkloads = async (env, connection, works) => {
  const chosen = works.map(({ requests = [], against }) => (against === 'L2' ? requests : requests.slice(0, 1)))
  const found = await captureAll(env, connection, chosen.flat())
  return works.map(({ against }, index) => {
    const own = found.splice(0, chosen[index].length)
    return against === 'L2' ? own : own[0]
  })
}

/** Compares 304 replies with full reads. */
const compareUnchanged = async (context, targets, token) => {
  const headers = { Authorization: `Bearer ${token}` }
  const path = `${api}/product/${targets.product[0]}`
  const list = `${api}/product?page_size=20`
  const rows = []
  for (const [name, at] of [
    ['304, one product', path],
    ['304, 20 products', list],
  ]) {
    const etag = (await fetch(`http://127.0.0.1:${context.server.port}${at}`, { headers })).headers.get('etag')
    const side = (extra) => ({ port: context.server.port, requests: [{ path: at, headers: { ...headers, ...extra } }] })
    rows.push(
      await compare({
        ...context,
        reference: context.server,
        work: { name, against: 'full read', target: 1.5 },
        ours: side({ 'If-None-Match': etag }),
        theirs: side({}),
      }),
    )
  }
  return rows
}

const compareWorkers = async (context, env, work) => {
  const two = await startServer({ ...env, WORKERS: '2' })
  try {
    const side = ({ port }) => ({ port, requests: work.requests })
    return await compare({
      ...context,
      server: two,
      reference: context.server,
      work: { name: `WORKERS=2, ${work.name}`, against: 'WORKERS=1' },
      ours: side(two),
      theirs: side(context.server),
    })
  } finally {
    await two.stop()
  }
}

/** The same reads by a server that remembers no reply: what they cost if something happens in the store in between. */
const compareAnew = async (context, env, works, port) => {
  const reads = works.filter(({ against }) => against === 'L2')
  if (reads.length === 0) return []
  const server = await startForgetfulServer(env)
  try {
    const rows = []
    for (const work of reads) {
      const ours = { port: server.port, requests: work.requests }
      await context.load.ask({ connections: CONNECTIONS, ms: WARM_UP_MS, ...ours })
      const row = await compare({
        ...context,
        server,
        work: { ...work, name: `${work.name}, read anew` },
        ours,
        theirs: { port, requests: requestsOf(work) },
      })
      rows.push(row)
      say(describe(row))
    }
    return rows
  } finally {
    await server.stop()
  }
}

/** Resident memory after a minute of full load. */
const memoryUnderLoad = async (load, server, works) => {
  const requests = works.filter(({ against }) => against === 'L2').flatMap(({ requests }) => requests.slice(0, 5))
  await load.ask({ connections: CONNECTIONS, ms: 60_000, port: server.port, requests })
  return residentMb(server.pid)
}

const describe = ({ work, ratio, against, spread, rps, referenceRps, cpuMs, referenceCpuMs }) =>
  `${work}: ${ratio.toFixed(2)} of ${against} (${spread.map((n) => n.toFixed(2)).join('-')}), ` +
  `${rps.toFixed(0)}/s against ${referenceRps.toFixed(0)}/s, CPU ${cpuMs.toFixed(3)} against ${referenceCpuMs.toFixed(3)} ms`

const measureSmall = async (engine, database) => {
  const copy = await copyData(engine, database)
  const env = environment(engine, copy)
  const connection = { ...engine, database: copy }
  const load = helper('load.mjs')
  const references = helper('references/server.mjs')
  const server = await startServer(env)
  const rows = []
  const facts = {}
  try {
    facts['start to first 200, ms'] = { value: Math.round(server.startMs), most: 1500 }
    await sleep(3000)
    facts['idle RSS, MB'] = { value: Math.round(residentMb(server.pid)), most: 100 }
    const targets = { ...(await pickTargets(connection)), credentials: APP }
    const token = await getToken(server)
    const all = [...smallWorkloads(targets, token), uploadWork(token)]
    const works = all.filter(({ name }) => !options.only || name.includes(options.only))
    const captured = await captureWorkloads(env, connection, works)
    const { port } = await references.ask({
      database: connection,
      session: SESSION_OPTIONS,
      connections: POOL,
      works: works.map((work, index) => referenceFor(work, captured[index], files)),
    })
    for (const { requests, against } of works.filter(({ requests }) => requests))
      await load.ask({
        connections: CONNECTIONS,
        ms: WARM_UP_MS,
        port: server.port,
        requests,
        stamped: against === 'bare',
      })
    const context = { load, server, reference: references, rounds: Number(options.rounds), ms: Number(options.ms) }
    for (const work of works) {
      const upload = work.upload && { upload: work.upload }
      const row = await compare({
        ...context,
        work,
        ours: { port: server.port, ...(upload ?? { requests: work.requests, stamped: work.against === 'bare' }) },
        theirs: { port, ...(upload ? referenceUpload(work) : { requests: requestsOf(work) }) },
        ...(upload && { connections: 4, count: 24, rounds: 7 }),
      })
      rows.push(row)
      say(describe(row))
    }
    rows.push(...(await compareAnew(context, env, works, port)))
    if (!options.only) {
      rows.push(...(await compareUnchanged(context, targets, token)))
      rows.push(await compareWorkers(context, env, works[0]), await compareWorkers(context, env, works[3]))
      facts['RSS after 60 s of full load, MB'] = {
        value: Math.round(await memoryUnderLoad(load, server, works)),
        most: 250,
      }
    }
    return { rows, facts }
  } finally {
    load.stop()
    references.stop()
    await server.stop()
    rmSync(files, { recursive: true, force: true })
  }
}

const referenceUpload = (work) => ({
  upload: { ...work.upload, path: requestsOf({ ...work, requests: [work.upload] })[0].path },
})

if (!process.env.DIST) execFileSync(process.execPath, [path.join(root, 'scripts/prepare.mjs')], { stdio: 'inherit' })
if (options.console) {
  await measureConsole(say)
  process.exit()
}
mkdirSync(files, { recursive: true })
const { openEngine } = await fromDist('core/storage/embedded/engine.js')
const engine = await openEngine(dataDir, { kind: 'command', name: 'bench' }, say)
try {
  const small = await prepareData(engine.admin, 's', say)
  const large = options.large || options.plans ? await prepareData(engine.admin, 'l', say) : undefined
  if (options.plans) {
    await showPlans({ engine: engine.admin, database: large, small, environment, captureAll, getToken })
  } else if (options.events) {
    await measureEvents({ engine: engine.admin, small, environment, getToken, options, say })
  } else if (options.before) {
    printTable(await measureBuilds({ engine: engine.admin, small, environment, getToken, files, options, say }))
  } else {
    const result = large
      ? await measureGrowth({
          engine: engine.admin,
          small,
          large,
          only: options.only,
          environment,
          getToken,
          captureAll,
          say,
        })
      : await measureSmall(engine.admin, small)
    printTable(result)
    if (!options.only) {
      const file = path.join(bench, large ? 'results-large.json' : 'results.json')
      const { rows, facts } = result
      const about = { at: new Date().toISOString(), node: process.version }
      writeFileSync(file, `${JSON.stringify({ ...about, rows, facts }, null, 2)}\n`)
    }
  }
} finally {
  await engine.close()
}
