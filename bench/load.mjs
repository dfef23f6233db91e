// Load generator: sends requests over keep-alive connections as fast as they are answered. A separate process, controlled
// over IPC. It uses raw sockets to take as little as possible of the cores that it shares with the server.
import { connect } from 'node:net'

const END = Buffer.from('\r\n\r\n')

/** @param {{ method?: string, path: string, headers?: object, body?: string }} request */
const encode = ({ method = 'GET', path, headers = {}, body }) => {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost']
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
}

/** Eight `#` mark text that must be unique. The replacement has the same length, so that Content-Length stays right. */
const MARK = /#{8}/g

let counter = 0
const stamped = (text) => {
  const mark = String(++counter).padStart(8, '0')
  return text.replace(MARK, mark)
}

/** Reuses a 5 MB body and changes only the mark in it. */
const bigUpload = ({ path, headers, bytes }) => {
  const boundary = 'bench-boundary'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="upload.bin"\r\n\r\n`
  const block = Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, 0x5a), Buffer.from(`\r\n--${boundary}--\r\n`)])
  const request = encode({
    method: 'POST',
    path,
    headers: {
      ...headers,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': block.length,
    },
  })
  const at = head.length + bytes - 16
  return () => {
    const copy = Buffer.from(block)
    copy.write(String(++counter).padStart(8, '0') + process.pid, at)
    return [request, copy]
  }
}

const source = (job) => {
  if (job.upload) return bigUpload(job.upload)
  let next = 0
  if (job.stamped)
    return () => {
      const request = job.requests[next++ % job.requests.length]
      return [encode({ ...request, body: stamped(request.body) })]
    }
  const ready = job.requests.map(encode)
  return () => [ready[next++ % ready.length]]
}

/** The length of the complete reply at the start of `data`, or 0 if it is incomplete. */
const replyLength = (data) => {
  const end = data.indexOf(END)
  if (end < 0) return 0
  const head = data.toString('latin1', 0, end)
  const status = Number(head.slice(9, 12))
  const length =
    status === 304 || status === 204 ? 0 : Number(/\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? Number.NaN)
  if (Number.isNaN(length)) throw new Error(`A reply without Content-Length:\n${head}`)
  return data.length >= end + 4 + length ? end + 4 + length : 0
}

const run = (job) =>
  new Promise((resolve, reject) => {
    const times = []
    const statuses = {}
    const write = source(job)
    const started = performance.now()
    const until = started + (job.ms ?? Number.POSITIVE_INFINITY)
    let left = job.count ?? Number.POSITIVE_INFINITY
    let open = job.connections
    let last = started

    const finish = () => {
      if (--open === 0) resolve({ times, statuses, ms: last - started })
    }
    for (let index = 0; index < job.connections; index++) {
      const socket = connect({ port: job.port, host: '127.0.0.1', noDelay: true })
      let sent = 0
      let pending
      const send = () => {
        if (left-- <= 0 || performance.now() >= until) return socket.end()
        sent = performance.now()
        for (const piece of write()) socket.write(piece)
      }
      socket.on('connect', send)
      socket.on('data', (chunk) => {
        const data = pending ? Buffer.concat([pending, chunk]) : chunk
        const length = replyLength(data)
        if (length === 0) {
          pending = data
          return
        }
        pending = undefined
        last = performance.now()
        times.push(last - sent)
        const status = data.toString('latin1', 9, 12)
        statuses[status] = (statuses[status] ?? 0) + 1
        send()
      })
      socket.on('error', reject)
      socket.on('close', finish)
    }
  })

const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN

process.on('message', async (job) => {
  try {
    const { times, statuses, ms } = await run(job)
    times.sort((a, b) => a - b)
    process.send?.({
      rps: times.length / (ms / 1000),
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
      count: times.length,
      statuses,
    })
  } catch (error) {
    process.send?.({ error: String(error) })
  }
})
