// The console against its targets: its pages in a browser whose processor is four times slower, and what it costs the server.
//   npm run bench -- --console
// Needs Chromium (CHROMIUM names it if it is not /usr/bin/chromium).
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { api, root } from './paths.mjs'
import { residentMb, startServer } from './processes.mjs'
import { median, printTable } from './table.mjs'

const SLOWER = 4
const ROUNDS = 5
const VARIANTS = 1_000
const KEYS = 30
const TWENTY = 20

/** Reports the milliseconds from the start of the navigation until the first row has been painted. */
const WATCH_ROWS = `new MutationObserver((_, observer) => {
  if (!document.querySelector('tbody a')) return
  observer.disconnect()
  requestAnimationFrame(() => setTimeout(() => console.debug('rows', performance.now())))
}).observe(document, { childList: true, subtree: true })`

/** How long the browser took from each key until the next paint. */
const WATCH_KEYS = `window.paints = []
new PerformanceObserver((list) => {
  for (const { name, duration } of list.getEntries()) if (name === 'keydown') window.paints.push(duration)
}).observe({ type: 'event', durationThreshold: 16 })`

const round = (value) => Math.round(value * 10) / 10

const slowPage = async (context) => {
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  return page
}

/** Waits for the report: questions in between would keep the slow processor of the page busy. */
const openOrders = async (page, home) => {
  const reported = page.waitForEvent('console', (message) => message.text().startsWith('rows '))
  await page.goto(`${home}/orders`, { waitUntil: 'commit' })
  return Number((await reported).text().split(' ')[1])
}

/** The list of orders: in a browser that has never been here, and when the page is loaded again. */
const measureOrders = async (browser, state, home) => {
  /** @type {Record<'cold' | 'warm', number[]>} */
  const { cold, warm } = { cold: [], warm: [] }
  for (let n = 0; n < ROUNDS; n++) {
    const context = await browser.newContext({ storageState: state })
    const page = await slowPage(context)
    await page.addInitScript(WATCH_ROWS)
    cold.push(await openOrders(page, home))
    for (let again = 0; again < 3; again++) warm.push(await openOrders(page, home))
    await context.close()
  }
  return { cold: median(cold), warm: median(warm) }
}

const measureTyping = async (browser, state, home, product) => {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1440, height: 900 } })
  const page = await slowPage(context)
  await page.goto(`${home}/products/${product}`)
  const cell = page.locator('[aria-rowcount] tbody tr input[inputmode=decimal]').first()
  await cell.focus()
  await page.evaluate(WATCH_KEYS)
  for (let n = 0; n < KEYS; n++) {
    await page.keyboard.press(String(n % 10))
    await sleep(60)
    if (n % 6 === 5) await cell.fill('')
  }
  await sleep(500)
  const paints = await page.evaluate('window.paints')
  await context.close()
  // Keys that are painted within 16 ms are not reported.
  const all = [...paints, ...Array(Math.max(0, KEYS - paints.length)).fill(16)]
  return { median: median(all), worst: Math.max(...all) }
}

/** Seconds for twenty orders that are confirmed by keyboard: `1` again and again until the next order is in hand. */
const measureDesk = async (browser, state, home, confirmed) => {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1440, height: 900 } })
  const page = await slowPage(context)
  await page.goto(`${home}/confirm`)
  const shown = page.locator('main h2[tabindex] ~ span')
  let ref = await shown.textContent()
  const before = await confirmed()
  const began = performance.now()
  for (let n = 0; n < TWENTY; n++) {
    const done = ref
    while (ref === done) {
      await page.keyboard.press('1')
      await sleep(50)
      ref = await shown.textContent()
    }
  }
  const seconds = (performance.now() - began) / 1_000
  await context.close()
  const count = (await confirmed()) - before
  if (count !== TWENTY) throw new Error(`${count} orders were confirmed instead of ${TWENTY}.`)
  return seconds
}

/** Alternating, so that other load on the machine affects both. */
const measureServer = async (folder) => {
  /** @type {Record<'on' | 'off', Record<'ms' | 'mb', number[]>>} */
  const found = { on: { ms: [], mb: [] }, off: { ms: [], mb: [] } }
  for (let n = 0; n < ROUNDS; n++)
    for (const setting of /** @type {const} */ (['on', 'off'])) {
      const server = await startServer({ DATA_DIR: folder, CONSOLE: setting, LOG_LEVEL: 'error' })
      await sleep(3_000)
      found[setting].ms.push(server.startMs)
      found[setting].mb.push(residentMb(server.pid))
      await server.stop()
    }
  return {
    startMs: median(found.on.ms) - median(found.off.ms),
    memoryMb: median(found.on.mb) - median(found.off.mb),
  }
}

const measureBuild = (folder) => {
  const began = performance.now()
  execFileSync(process.execPath, [path.join(root, 'scripts/build-console.mjs'), path.join(folder, 'console')])
  return (performance.now() - began) / 1000
}

/** Signs in an operator and makes the product with many variants. */
const prepare = async (browser, server, folder) => {
  const site = `http://127.0.0.1:${server.port}`
  const env = { ...process.env, DATA_DIR: folder }
  const cli = path.join(root, 'scripts/storefront.mjs')
  const [, code] =
    /welcome#(\S+)/.exec(execFileSync(process.execPath, [cli, 'console', 'link'], { env }).toString()) ?? []
  const context = await browser.newContext({ extraHTTPHeaders: { origin: site } })
  const ask = async (way, url, data, headers = {}) => {
    const reply = await context.request.fetch(site + url, { method: way, data, headers })
    if (!reply.ok()) throw new Error(`${url}: ${await reply.text()}`)
    return (await reply.json()).data
  }
  await ask('POST', '/console/api/link', { code, email: 'bench@shop.example', password: 'only for this bench' })
  const [{ id: store }] = (await ask('GET', '/console/api/stores')).stores
  const { token } = await ask('POST', `/console/api/stores/${store}/token`)
  const values = Array.from({ length: VARIANTS }, (_, n) => ({ value: `Size ${n + 1}` }))
  const body = {
    title: 'A thousand sizes',
    options: [{ name: 'Size', values }],
    variants: values.map((value) => ({ price: 10, quantity: 5, values: [value] })),
  }
  const access = { authorization: `Bearer ${token}` }
  const { product } = await ask('POST', `${api}/product`, body, access)
  await ask('PUT', `${api}/setting`, { order_desk: { confirm: true } }, access)
  for (const [n, { id }] of product.variants.slice(0, TWENTY + 1).entries())
    await ask(
      'POST',
      `${api}/order`,
      {
        customer_first_name: 'Olfa',
        customer_phone: `+2162066${1_000 + n}`,
        variants: [{ variant_id: id, quantity: 1 }],
      },
      access,
    )
  const confirmed = async () =>
    (await ask('GET', `${api}/order?confirmation=confirmed&page_size=1`, undefined, access)).pagination.total
  const state = await context.storageState()
  state.origins = [{ origin: site, localStorage: [{ name: 'console.look', value: '{"known":true,"language":"en"}' }] }]
  return { home: `${site}/console/s/${store}`, product: product.id, state, confirmed }
}

export const measureConsole = async (say) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'storefront-console-'))
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const server = await startServer({ DATA_DIR: folder, DEMO: 'true', LOG_LEVEL: 'error' })
  try {
    const { home, product, state, confirmed } = await prepare(browser, server, folder)
    say('The list of orders …')
    const orders = await measureOrders(browser, state, home)
    say(`Typing in ${VARIANTS} variants …`)
    const typing = await measureTyping(browser, state, home, product)
    say(`${TWENTY} orders confirmed by keyboard …`)
    const desk = await measureDesk(browser, state, home, confirmed)
    await browser.close()
    await server.stop()
    say('The server with and without the console …')
    const cost = await measureServer(folder)
    say('The build …')
    const build = measureBuild(folder)
    const slow = `${SLOWER}x slower processor`
    const facts = {
      [`list of orders, cold, ${slow}, ms`]: { value: Math.round(orders.cold), most: 1_500 },
      [`list of orders, warm, ${slow}, ms`]: { value: Math.round(orders.warm), most: 400 },
      [`typing in ${VARIANTS} variants to next paint, ${slow}, median ms`]: { value: typing.median, most: 100 },
      'the same, worst of all keys, ms': { value: typing.worst },
      [`${TWENTY} orders confirmed by keyboard, ${slow}, s`]: { value: round(desk), most: 60 },
      'idle memory with the console, MB more': { value: round(cost.memoryMb), most: 3 },
      'start with the console, ms more': { value: Math.round(cost.startMs), most: 30 },
      'build of the console, s': { value: round(build), most: 10 },
    }
    printTable({ rows: [], facts, columns: [] })
  } finally {
    await browser.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
