import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startTestApi } from '../../tests/support/api.ts'
import { hasBrowser, openBrowser } from '../../tests/support/browser.ts'
import { addProduct } from '../../tests/support/products.ts'

const installed = hasBrowser('the client in a page is not tested')

const BUILT = fileURLToPath(new URL('../dist/', import.meta.url))

/** What the page of a shop would do. The page gets a token, never the secret. */
const inPage = `async ({ expired, token, bytes }) => {
  const { createClient } = await import('/client/index.js')
  const given = [expired, token]
  const client = createClient({ baseUrl: '/api/apps/v1', getToken: async () => given.shift(), backoff: 10 })
  const titles = []
  for await (const { title } of client.products.all({ page_size: 1 })) titles.push(title)
  const progress = []
  const picture = new File([new Uint8Array(bytes).fill(65)], 'notes.txt')
  const file = await client.files.upload(picture, { alt: 'Notes' }, { onProgress: (step) => progress.push(step) })
  const refused = await client.customers.create({ email: 'x' }).catch((error) => error.fields)
  const gone = await client.products.list({}, { signal: AbortSignal.abort() }).catch((error) => error.name)
  let rows = 0
  for await (const row of client.orders.exportRows()) rows += row.ref ? 1 : 0
  return { titles, file, progress, refused, gone, rows }
}`

test.skipIf(!installed)('the client reads, uploads and exports in a browser', async () => {
  const api = await startTestApi()
  await addProduct(api, { title: 'Teapot' })
  await addProduct(api, { title: 'Mug' })
  await api.as('order:create').post('/order', {})
  const app = await api.install(['product:view', 'file:upload', 'customer:create', 'order:export'])
  const expired = await api.getToken(app, { install_id: app.install_id, ttl: 1 })
  const token = await api.getToken(app, { install_id: app.install_id })
  const browser = await openBrowser()
  const tab = await browser.newPage()
  await tab.route('**/page', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  await tab.route('**/client/*', async (route) => {
    const name = new URL(route.request().url()).pathname.slice('/client/'.length)
    await route.fulfill({ contentType: 'text/javascript', body: await readFile(BUILT + name) })
  })
  await tab.goto(`${api.origin}/page`)
  await new Promise((resolve) => setTimeout(resolve, 1100))
  const done = await tab.evaluate(`(${inPage})(${JSON.stringify({ expired, token, bytes: 200_000 })})`)
  expect(done).toMatchObject({
    titles: ['Mug', 'Teapot'],
    file: { name: 'notes.txt', size: 200_000, alt: 'Notes' },
    refused: { email: [expect.any(String)] },
    gone: 'AbortError',
    rows: 1,
  })
  const { progress } = done as { progress: { sent: number; total: number }[] }
  expect(progress[0]).toMatchObject({ sent: 0, total: expect.any(Number) })
  expect(progress.at(-1)?.sent, 'a browser tells how far it is').toBeGreaterThan(200_000)
})
