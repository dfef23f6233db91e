import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../support/api.ts'
import { addCleanup } from '../support/cleanup.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/server-process.ts'
import { exchange, findTool, statusesIn } from './raw-http.ts'
import { recordResult } from './results-table.ts'

const HIDDEN = 'GET /smuggled HTTP/1.1\r\nHost: shop.example\r\n\r\n'
const CHUNKED_END = `0\r\n\r\n${HIDDEN}`
const TARGET = '/api/apps/v1/auth/get-token'

const post = (headers: string[], body: string) =>
  `POST ${TARGET} HTTP/1.1\r\nHost: shop.example\r\nContent-Type: application/json\r\n${headers.join('\r\n')}\r\n\r\n${body}`

const length = (extra = 0) => `Content-Length: ${CHUNKED_END.length + extra}`

/** Requests whose end two servers may find in different places. */
const SHAPES: Record<string, string> = {
  'length and chunked': post([length(), 'Transfer-Encoding: chunked'], CHUNKED_END),
  'chunked and length': post(['Transfer-Encoding: chunked', length()], CHUNKED_END),
  'short length and chunked': post(['Content-Length: 4', 'Transfer-Encoding: chunked'], `1c\r\n${CHUNKED_END}`),
  'two lengths': post(['Content-Length: 2', length()], `{}${HIDDEN}`),
  'two lengths in one': post([`Content-Length: 2, ${CHUNKED_END.length}`], `{}${HIDDEN}`),
  'the same length twice': post(['Content-Length: 2', 'Content-Length: 2'], `{}${HIDDEN}`),
  'negative length': post(['Content-Length: -1'], HIDDEN),
  'length with a sign': post(['Content-Length: +2'], `{}${HIDDEN}`),
  'length in hex': post(['Content-Length: 0x2'], `{}${HIDDEN}`),
  'length with text': post(['Content-Length: 2abc'], `{}${HIDDEN}`),
  'huge length': post(['Content-Length: 99999999999999999999'], `{}${HIDDEN}`),
  'empty length': post(['Content-Length: '], HIDDEN),
  'space before the colon': post(['Content-Length : 2'], `{}${HIDDEN}`),
  'chunked with a space before the colon': post([length(), 'Transfer-Encoding : chunked'], CHUNKED_END),
  'chunked folded': post([length(), 'Transfer-Encoding:\r\n chunked'], CHUNKED_END),
  'a folded header': post(['X-A: b\r\n Content-Length: 500', 'Content-Length: 2'], `{}${HIDDEN}`),
  'chunked misspelt': post([length(), 'Transfer-Encoding: xchunked'], CHUNKED_END),
  'chunked and identity': post([length(), 'Transfer-Encoding: chunked, identity'], CHUNKED_END),
  'identity and chunked': post(['Transfer-Encoding: identity', 'Transfer-Encoding: chunked', length()], CHUNKED_END),
  'chunked twice': post(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked', length()], CHUNKED_END),
  'chunked with a vertical tab': post([length(), 'Transfer-Encoding: \x0bchunked'], CHUNKED_END),
  'chunked in quotes': post([length(), 'Transfer-Encoding: "chunked"'], CHUNKED_END),
  'chunked with a NUL': post([length(), 'Transfer-Encoding: chunked\0'], CHUNKED_END),
  'chunked after a bare line feed': post([length(), 'X-A: b\nTransfer-Encoding: chunked'], CHUNKED_END),
  'chunked after a bare return': post([length(), 'X-A: b\rTransfer-Encoding: chunked'], CHUNKED_END),
  'only line feeds': post(['Transfer-Encoding: chunked'], CHUNKED_END).replaceAll('\r\n', '\n'),
  'a chunk size in hex twice': post(['Transfer-Encoding: chunked'], `0x2\r\n{}\r\n${CHUNKED_END}`),
  'a chunk size too large': post(['Transfer-Encoding: chunked'], `fffffffffffffffff\r\n{}\r\n${CHUNKED_END}`),
  'a negative chunk size': post(['Transfer-Encoding: chunked'], `-2\r\n{}\r\n${CHUNKED_END}`),
  'a chunk that ends with a line feed': post(['Transfer-Encoding: chunked'], `2\n{}\n${CHUNKED_END}`),
  'a chunk extension with a line feed': post(['Transfer-Encoding: chunked'], `2;a=b\n${HIDDEN}\r\n{}\r\n0\r\n\r\n`),
  'a chunk longer than it says': post(['Transfer-Encoding: chunked'], `2\r\n{}xx\r\n${CHUNKED_END}`),
  'a length on a GET': `GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKED_END}`,
  'two hosts': `GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n`,
  'no host': `GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n`,
  'an unknown version': `GET /healthz HTTP/9.9\r\nHost: a\r\n\r\n${HIDDEN}`,
  'a space in the URL': `GET /healthz HTTP/1.1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  'another protocol': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'an upgrade': `GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
  'a tunnel': `CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example\r\n\r\n${HIDDEN}`,
  'a URL of another host': `GET http://evil.example/healthz HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n`,
}

/** Counts the smuggled requests that reach the server. */
const countHidden = (api: TestApi) => {
  const seen = { hidden: 0 }
  api.app.server.on('request', ({ url }) => {
    if (url === '/smuggled') seen.hidden++
  })
  return seen
}

test('a request with an ambiguous end is rejected, and the request hidden in it is never processed', async () => {
  const api = await startTestApi()
  const seen = countHidden(api)
  const answers = await Promise.all(
    Object.entries(SHAPES).map(
      async ([shape, bytes]) => [shape, statusesIn(await exchange(api.port, bytes, 1_500))] as const,
    ),
  )
  for (const [shape, statuses] of answers) {
    expect(statuses.length, `${shape}: ${statuses}`).toBeLessThanOrEqual(1)
    // No request that hides another is executed.
    if (SHAPES[shape]?.includes('smuggled'))
      expect(statuses[0] ?? 400, shape).toSatisfy((status: number) => status >= 400)
    expect(statuses[0] ?? 400, shape).toBeLessThan(500)
  }
  expect(seen.hidden).toBe(0)
  recordResult({ case: 'smuggling: without a proxy', tried: answers.length, lost: seen.hidden })
})

const CONFIGS = {
  nginx: (folder: string, port: number, upstream: number) => ({
    text: `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
      events { worker_connections 256; }
      http {
        access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
        fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
        upstream api { server 127.0.0.1:${upstream}; keepalive 1; }
        server {
          listen 127.0.0.1:${port};
          location / { proxy_pass http://api; proxy_http_version 1.1; proxy_set_header Connection "";
            proxy_request_buffering off; }
        }
      }`,
    args: ['-c', `${folder}/conf`, '-p', folder, '-e', `${folder}/error.log`],
  }),
  haproxy: (folder: string, port: number, upstream: number) => ({
    text: `global
  maxconn 256
defaults
  mode http
  timeout connect 2s
  timeout client 5s
  timeout server 5s
  http-reuse always
frontend f
  bind 127.0.0.1:${port}
  default_backend b
backend b
  server api 127.0.0.1:${upstream} maxconn 2
`,
    args: ['-f', `${folder}/conf`, '-db'],
  }),
}

const startProxy = async (name: keyof typeof CONFIGS, tool: string, upstream: number) => {
  const folder = await temporaryFolder()
  const port = await freePort()
  const { text, args } = CONFIGS[name](folder, port, upstream)
  await writeFile(path.join(folder, 'conf'), text)
  const child = spawn(tool, args, { stdio: 'ignore' })
  addCleanup(() => child.kill('SIGTERM'))
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined)
    if (answer?.status === 200) return port
    await sleep(50)
  }
  throw new Error(`${name} did not come up.`)
}

test.each(['nginx', 'haproxy'] as const)(
  'behind %s no client gets the reply to another client’s request',
  async (name) => {
    const tool = findTool(name)
    if (!tool)
      return recordResult({ case: `smuggling: behind ${name}`, tried: 0, lost: 0, note: 'skipped: not installed' })
    const api = await startTestApi()
    const seen = countHidden(api)
    const port = await startProxy(name, tool, api.port)
    let told = 0
    let mixed = 0
    for (const bytes of Object.values(SHAPES)) {
      // Two replies to the attacker mean that both servers saw two requests, so nothing was smuggled.
      told += Math.max(0, statusesIn(await exchange(port, bytes)).length - 1)
      const victims = await Promise.all(
        Array.from({ length: 3 }, () => fetch(`http://127.0.0.1:${port}/healthz`).then(({ status }) => status)),
      )
      mixed += victims.filter((status) => status !== 200).length
    }
    const lost = mixed + Math.max(0, seen.hidden - told)
    expect(lost, `${mixed} mixed up, ${seen.hidden} hidden requests got through, ${told} in plain sight`).toBe(0)
    recordResult({ case: `smuggling: behind ${name}`, tried: Object.keys(SHAPES).length, lost })
  },
)
