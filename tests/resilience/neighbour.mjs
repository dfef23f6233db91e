import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * Reads as an app of one store does, one call after the other, and reports how long each took. Runs in its own thread,
 * so that the other work of the test does not affect the times.
 */
const { addresses, token } = workerData
for (let turn = 0; ; turn++) {
  const began = performance.now()
  const reply = await fetch(addresses[turn % addresses.length], { headers: { authorization: `Bearer ${token}` } })
  const text = await reply.text()
  const ms = performance.now() - began
  parentPort.postMessage({ at: Date.now(), ms, ...(reply.status !== 200 && { fault: `${reply.status} ${text}` }) })
  await sleep(10)
}
