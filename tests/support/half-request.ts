import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A POST of which the server has received the first half; `finish` sends the rest. A lost connection is its status. */
export const beginRequest = async (url: string, headers: Record<string, string>, body: Buffer) => {
  const call = request(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': body.length, expect: '100-continue' },
  })
  const status = new Promise<number | string | undefined>((resolve) => {
    call.on('response', (reply) => resolve(reply.resume().statusCode)).on('error', (error) => resolve(String(error)))
  })
  call.flushHeaders()
  // The server has the headers, and the request is in flight.
  await once(call, 'continue')
  const middle = Math.floor(body.length / 2)
  await new Promise((resolve) => call.write(body.subarray(0, middle), resolve))
  return { status, finish: () => call.end(body.subarray(middle)) }
}

/** A request for a token, with credentials that nobody has. */
export const beginTokenRequest = (base: string) =>
  beginRequest(
    `${base}/auth/get-token`,
    { 'content-type': 'application/json' },
    Buffer.from('{"client_id":"nobody","client_secret":"x"}'),
  )

/** Waits until the server at this address has closed its port, which is the first thing it does when it stops. */
export const untilPortIsClosed = async (base: string) => {
  const { hostname, port } = new URL(base)
  for (;;) {
    const socket = connect(Number(port), hostname)
    const open = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (!open) return
    await sleep(20)
  }
}
