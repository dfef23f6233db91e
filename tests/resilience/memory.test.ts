import { request } from 'node:http'
import { expect, test } from 'vitest'
import { startTestApi } from '../support/api.ts'
import { bomb, largeAvif, manyFrames } from '../support/hostile-pictures.ts'
import { form, picture } from '../support/uploads.ts'
import { recordResult } from './results-table.ts'

const BOUNDARY = 'X-BOUNDARY'
const END = `--${BOUNDARY}--\r\n`
const MB = 2 ** 20
const megabytes = (bytes: number) => `${Math.round(bytes / MB)} MB more memory`

/** Maximum growth of the process while `work` runs. */
const watchMemory = async <T>(work: () => Promise<T>) => {
  const before = process.memoryUsage.rss()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 20)
  const result = await work()
  clearInterval(watch)
  return { result, grown: Math.max(most, process.memoryUsage.rss()) - before }
}

test.each([
  ['a PNG of 900 million pixels', async () => bomb()],
  ['a GIF of 2,000 frames', async () => manyFrames(2000)],
  ['an AVIF of 9.3 million pixels', () => largeAvif(3100, 3000)],
])('%s is rejected in little memory', async (what, make) => {
  const api = await startTestApi()
  const caller = await api.as('file:upload')
  await caller.post('/file', form({ file: await picture() }))
  const bytes = await make()
  const { result, grown } = await watchMemory(() => caller.post('/file', form({ file: { name: 'a.png', bytes } })))
  expect(result).toBeRefused(422, 'file')
  expect(grown).toBeLessThan(60 * MB)
  recordResult({ case: `memory: ${what}`, tried: 1, lost: 0, note: megabytes(grown) })
})

test('concurrent uploads use little memory', async () => {
  const api = await startTestApi()
  const app = await api.install(['file:upload'])
  const token = await api.getToken(app, { install_id: app.install_id })
  const block = Buffer.alloc(1024 * 1024, 'x')
  const one = (n: number) =>
    new Promise<number>((resolve, reject) => {
      const call = request(`${api.origin}/api/apps/v1/file`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      })
      call.on('error', reject).on('response', (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      const pour = async () => {
        call.write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${n}"\r\n\r\n${n}`)
        for (let sent = 0; sent < 25; sent++) {
          if (!call.write(block)) await new Promise((resolve) => call.once('drain', resolve))
        }
        call.end(`\r\n${END}`)
      }
      pour().catch(reject)
    })
  await one(0)
  const { result, grown } = await watchMemory(() => Promise.all(Array.from({ length: 10 }, (_, n) => one(n))))
  expect(result).toEqual(Array(10).fill(201))
  expect(grown).toBeLessThan(150 * MB)
  recordResult({ case: 'memory: ten uploads of 25 MB at once', tried: 10, lost: 0, note: megabytes(grown) })
})
