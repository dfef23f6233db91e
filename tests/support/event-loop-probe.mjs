// Loaded into a server process by a test (node --import). Tells over HTTP how long the server worked without a pause.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const SCHEDULED = '/proc/self/schedstat'

const ownTime = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e3
}

/** Milliseconds that the main thread has run. Other programs do not count, however busy the machine is. */
const worked = (() => {
  const threadTime = () => Number(readFileSync(SCHEDULED, 'latin1').split(' ')[0]) / 1e6
  try {
    threadTime()
    return threadTime
  } catch {
    return ownTime
  }
})()

let longest = 0
let watching = false

/** Once per turn of the event loop. */
const watch = (before) => {
  const now = worked()
  longest = Math.max(longest, now - before)
  if (watching) setImmediate(watch, worked())
}

/** Starts to watch, or stops and answers with the longest turn since then, in milliseconds. */
createServer((_request, response) => {
  watching = !watching
  if (watching) {
    longest = 0
    setImmediate(watch, worked())
    response.end()
  } else setImmediate(() => response.end(String(longest)))
}).listen(Number(process.env.PROBE_PORT), '127.0.0.1')
