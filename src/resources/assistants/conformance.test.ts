import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FirstGenerationClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstGenerationTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { beforeAll, expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { headersOf } from '../../../tests/support/assistants.ts'
import { addCleanup } from '../../../tests/support/cleanup.ts'
import { API_PREFIX } from '../../config/config.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'

const at = (file: string) => fileURLToPath(new URL(`../../../${file}`, import.meta.url))

/**
 * What the suite asks of its own example server, and this one is not: it has tools, and nothing else. A name is that of a
 * scenario, or of one check of a scenario whose other checks apply.
 */
const NOT_APPLICABLE: readonly (readonly [RegExp, string])[] = [
  [/^(resources|prompts)-|^completion-complete|^sep-2549-(prompts|resources)/, 'no resources, prompts or completion'],
  [/^logging-set-level|^tools-call-with-(logging|progress)/, 'no log messages, no progress: a tool answers once'],
  [/^tools-call-(image|audio|embedded-resource|mixed-content)/, 'tools answer with text'],
  [/^tools-call-(sampling|elicitation)|^elicitation-|^input-required-/, 'no tool asks the client for anything'],
  [/^sep-2575-(server-rejects-undeclared-capability|missing-capability-http-400)/, 'no tool needs a capability'],
  [/^tasks-/, 'no tool is a task'],
  [/^http-custom-header-server-validation/, 'no argument is a header'],
  [/^json-schema-2020-12/, 'looks for a tool of the example server'],
]

const whyNot = (scenario: string, check: string) =>
  NOT_APPLICABLE.find(([name]) => name.test(scenario) || name.test(check))?.[1]

interface Check {
  id: string
  status: string
  errorMessage?: string
}

interface Run {
  /** Of each scenario, the checks by result. */
  passed: Map<string, string[]>
  failed: string[]
  excused: Set<string>
}

let origin: string

// The suite cannot send a token.
beforeAll(async () => {
  const api = await startTestApi()
  const { headers } = await headersOf(api, PERMISSIONS)
  const { hostname, port } = new URL(api.origin)
  const proxy = createServer((incoming, outgoing) => {
    const { method, url, headers: sent } = incoming
    const onward = request({ hostname, port, path: url, method, headers: { ...sent, ...headers } }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 500, reply.headers)
      reply.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
  addCleanup(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  origin = `http://localhost:${(proxy.address() as AddressInfo).port}`
})

const runSuite = async (choice: readonly string[]): Promise<Run> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'conformance-'))
  const suite = at('node_modules/@modelcontextprotocol/conformance/dist/index.js')
  const words = ['server', '--url', `${origin}${API_PREFIX}/mcp`, '--timeout', '120000', '--output-dir', folder]
  const args = ['--import', at('tests/support/node-22-fs.mjs'), suite, ...words, ...choice]
  // It fails whenever a check does, those that do not apply included.
  await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 }).catch(() => {})
  const run: Run = { passed: new Map(), failed: [], excused: new Set() }
  for (const name of await readdir(folder)) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)?.[1] as string
    const checks = JSON.parse(await readFile(path.join(folder, name, 'checks.json'), 'utf8')) as Check[]
    const passed = checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id)
    run.passed.set(scenario, passed)
    for (const { id, status, errorMessage } of checks) {
      if (status !== 'FAILURE') continue
      const reason = whyNot(scenario, id)
      if (reason) run.excused.add(reason)
      else run.failed.push(`${scenario}: ${id}: ${errorMessage}`)
    }
  }
  await rm(folder, { recursive: true })
  return run
}

test('the official conformance suite for the revision of 2026 passes', async () => {
  const { passed, failed, excused } = await runSuite(['--requirements', '2026-07-28'])
  expect(failed).toEqual([])
  expect([...excused]).toHaveLength(NOT_APPLICABLE.length)
  expect(passed.get('server-stateless')?.length).toBeGreaterThan(20)
  expect(passed.get('http-header-validation')?.length).toBeGreaterThan(10)
  for (const scenario of ['tools-list', 'tools-call-error', 'caching', 'dns-rebinding-protection'])
    expect(passed.get(scenario)?.length, scenario).toBeGreaterThan(1)
})

test('the official conformance suite for the revisions of 2025 passes', async () => {
  const { passed, failed } = await runSuite(['--spec-version', '2025-11-25'])
  expect(failed).toEqual([])
  for (const scenario of ['server-initialize', 'ping', 'tools-list', 'tools-call-error', 'dns-rebinding-protection'])
    expect(passed.get(scenario)?.length, scenario).toBeGreaterThan(1)
})

test('official clients of both generations work though each request goes to another node', async () => {
  const secret = { TOKEN_SECRET: 'the same secret on both nodes, long enough' }
  const [node, ...others] = [await startTestApi(secret), await startTestApi({ ...secret, MAX_UPLOAD_MB: '2' })]
  const origins = [node, ...others].map(({ origin }) => origin)
  const { headers } = await headersOf(node, PERMISSIONS)
  const served = [0, 0]
  let requests = 0
  const inTurn = (url: string | URL, init?: RequestInit) => {
    const turn = requests++ % origins.length
    served[turn] = (served[turn] ?? 0) + 1
    return fetch(new URL(new URL(url).pathname, origins[turn]), init)
  }
  const url = new URL(`${node.origin}${API_PREFIX}/mcp`)
  const options = { requestInit: { headers }, fetch: inTurn }
  const named = { name: 'test', version: '1.0.0' }
  // biome-ignore lint/suspicious/noExplicitAny: the two generations share no types.
  const clients: [any, any][] = [
    [new FirstGenerationClient(named), new FirstGenerationTransport(url, options)],
    [
      new Client(named, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
      new StreamableHTTPClientTransport(url, options),
    ],
  ]
  for (const [place, [client, transport]] of clients.entries()) {
    await client.connect(transport)
    const call = async (name: string, args: object) => {
      const { content, isError } = await client.callTool({ name, arguments: args })
      expect(isError, content[0].text).not.toBe(true)
      return JSON.parse(content[0].text)
    }
    const items = [{ name: 'Amel', email: `amel.${place}@shop.example` }]
    const { plan } = await call('plan', { operation: 'createCustomer', items })
    expect((await call('apply', { plan })).result).toBe('1 applied, 0 refused.')
    await client.close()
  }
  expect(Math.min(...served)).toBeGreaterThan(3)
  const { body } = await node.anonymous.with(headers).get('/customer?search=amel')
  expect(body.data.pagination.total).toBe(2)
})

test('a page of another site is refused, pages of this machine and allowed ones are not', async () => {
  const api = await startTestApi({ CORS_ORIGIN: 'https://assistant.example' })
  const { headers } = await headersOf(api, PERMISSIONS)
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const accept = { accept: 'application/json, text/event-stream' }
  const sendFrom = (origin: string) => api.site.post(`${API_PREFIX}/mcp`, ping, { ...headers, ...accept, origin })
  for (const origin of ['http://evil.example', 'null', 'https://assistant.example.evil.example', 'nonsense'])
    expect((await sendFrom(origin)).status, origin).toBe(403)
  for (const origin of ['https://assistant.example', 'http://localhost:6274', api.origin])
    expect((await sendFrom(origin)).status, origin).toBe(200)
})
