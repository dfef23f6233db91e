import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { hasBrowser, openBrowser } from '../../../tests/support/browser.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { picture, upload } from '../../../tests/support/uploads.ts'

const installed = hasBrowser('that uploads run no script is not tested')

/** Records every script that runs: each one requests this server. */
const requested: string[] = []
const recorder = createServer((request, response) => {
  requested.push(request.url ?? '')
  response.writeHead(200, { 'access-control-allow-origin': '*' }).end()
})

beforeAll(() => new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', () => resolve())))
afterAll(() => new Promise<void>((resolve) => recorder.close(() => resolve()).closeAllConnections()))

const requestScript = (name: string) => {
  const { port } = recorder.address() as AddressInfo
  return `fetch("http://127.0.0.1:${port}/${name}"); new Image().src = "http://127.0.0.1:${port}/${name}"`
}

const svg = (name: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" onload='${requestScript(name)}'><script>${requestScript(name)}</script></svg>`
const html = (name: string) =>
  `<!doctype html><html><body onload='${requestScript(name)}'><script>${requestScript(name)}</script>`

test.skipIf(!installed)('a browser that opens an uploaded SVG or HTML file executes no script', async () => {
  const api = await startTestApi()
  const shown = { fileable_type: 'product', fileable_id: (await addProduct(api)).id }
  const drawn = { name: 'a.png', type: 'image/png', bytes: Buffer.from(svg('svg')) }
  const drawing = await upload(api, { file: drawn, ...shown })
  const page = await upload(api, { file: { name: 'a.html', type: 'text/html', bytes: Buffer.from(html('html')) } })
  const image = await upload(api, { file: await picture() })
  expect([drawing.mime_type, page.mime_type]).toEqual(['image/svg+xml', 'text/html'])

  const browser = await openBrowser()
  const tab = await browser.newPage()
  // Without protection the scripts do run, or this test would prove nothing.
  await tab.setContent(html('bait'))
  await expect.poll(() => requested).toContain('/bait')

  for (const url of [drawing.url, drawing.permanent_url, page.url]) {
    const download = tab.waitForEvent('download')
    await tab.goto(url).catch(() => {})
    await download
  }
  // Embedded in a foreign page: as a frame, a script and an object.
  const body = [drawing.url, page.url].map(
    (url) =>
      `<iframe src="${url}"></iframe><object data="${url}"></object><embed src="${url}"><script src="${url}"></script>`,
  )
  await tab
    .setContent(`<!doctype html><body>${body.join('')}<img src="${image.url}">`, { timeout: 5000 })
    .catch(() => {})
  await tab.waitForTimeout(700)
  await expect.poll(() => tab.evaluate('document.images[0].naturalWidth')).toBe(40)
  expect(requested.filter((path) => path !== '/bait' && path !== '/favicon.ico')).toEqual([])
})
