// Takes the pictures of docs/console/ from the built console with the demo store: node scripts/console-screenshots.mjs [NAME…]
// Needs Chromium (CHROMIUM names it if it is not /usr/bin/chromium).
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import './prepare.mjs'

const OUT = fileURLToPath(new URL('../docs/console/', import.meta.url))
const DESK = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

const send = async (page, body) => {
  await page.locator('main textarea').fill(body)
  await page.locator('main form [type=submit]').click()
  await page.locator('main pre').nth(1).waitFor()
}

/** Each picture: its name, the page below the store, the demo app or the service, how the console looks, and what to do before. */
const PICTURES = [
  { name: 'home', page: '' },
  { name: 'home-dark', page: '', theme: 'dark' },
  { name: 'home-arabic', page: '', language: 'ar' },
  { name: 'home-phone', page: '', size: PHONE },
  { name: 'orders', page: '/orders' },
  { name: 'orders-arabic', page: '/orders', language: 'ar' },
  { name: 'order', page: '/orders?return_status=delivered', open: 'ol li' },
  { name: 'confirm', page: '/confirm', ready: 'main h2[tabindex]' },
  { name: 'confirm-arabic', page: '/confirm', ready: 'main h2[tabindex]', language: 'ar', size: PHONE },
  { name: 'deliveries', page: '/deliveries' },
  {
    name: 'product',
    page: '/products?search=fouta',
    open: '[aria-rowcount]',
    act: (page) => page.evaluate("document.querySelector('[aria-rowcount]').scrollIntoView({ block: 'end' })"),
  },
  { name: 'reviews', page: '/reviews?status=all', ready: 'main li strong' },
  {
    name: 'ship',
    page: '/orders?delivery_status=unfulfilled&is_cancelled=false&is_archived=false',
    act: async (page) => {
      for (const place of [0, 1, 2, 3]) await page.locator('tbody input').nth(place).check()
      await page.getByRole('button', { name: 'Ship 4 orders' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'playground',
    ofApp: '/playground?call=POST+/product',
    act: async (page) => {
      await send(page, '{\n  "title": "Fouta",\n  "price": -1,\n  "variants": []\n}')
      await page.evaluate("document.querySelector('main form').scrollIntoView()")
    },
  },
  {
    name: 'playground-arabic',
    ofApp: '/playground?call=POST+/product',
    language: 'ar',
    size: PHONE,
    act: async (page) => {
      await send(page, '{\n  "title": "Fouta"\n}')
      await page.evaluate("document.querySelector('main textarea').scrollIntoView()")
    },
  },
  { name: 'stores', ofService: '/stores', ready: 'main li' },
  { name: 'activity', ofService: '/activity', ready: 'main li' },
  { name: 'system-dark', ofService: '/system', ready: 'main li', theme: 'dark' },
  { name: 'people-phone', page: '/people', ready: 'main h1', size: PHONE },
  // The calls of the playground are in these.
  { name: 'log', ofApp: '/log?live=1', ready: 'tbody a' },
  { name: 'errors-dark', ofApp: '/errors', ready: 'main tbody tr', theme: 'dark' },
  { name: 'permissions-arabic', ofApp: '/permissions', ready: 'main tbody tr', language: 'ar' },
]

const folder = mkdtempSync(path.join(tmpdir(), 'console-screenshots-'))
const server = spawn(process.execPath, [fileURLToPath(new URL('../dist/server/main.js', import.meta.url))], {
  env: {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: '0',
    METRICS: 'off',
    LOG_LEVEL: 'warn',
    DATA_DIR: folder,
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const link = await new Promise((resolve, reject) => {
  let printed = ''
  server.stdout.on('data', (chunk) => {
    printed += chunk
    const [found] = /http\S+\/console\/welcome#\S+/.exec(printed) ?? []
    if (found) resolve(found)
  })
  server.on('exit', () => reject(new Error('The server did not come up.')))
})

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
try {
  mkdirSync(OUT, { recursive: true })
  const page = await browser.newPage({ viewport: DESK, locale: 'en', reducedMotion: 'reduce' })
  await page.goto(link)
  await page.getByLabel('Email').fill('amina@shop.example')
  await page.getByLabel('Name').fill('Amina')
  await page.getByLabel('Password').fill('only for screenshots')
  await page.getByRole('button').click()
  await page.waitForURL(/\/s\//)
  const store = page.url().replace(/(\/s\/[^/]+).*/, '$1')
  const { origin } = new URL(link)
  const found = await page.request.get(`${origin}/console/api/developer/apps?search=demo`)
  const app = `${origin}/console/apps/${(await found.json()).data.apps[0].id}`
  const wanted = process.argv.slice(2)
  for (const picture of PICTURES) {
    const {
      name,
      page: place = '',
      ofApp,
      ofService,
      theme = 'light',
      language = 'en',
      size = DESK,
      open,
      act,
    } = picture
    if (wanted.length > 0 && !wanted.includes(name)) continue
    await page.request.put(`${origin}/console/api/me`, {
      data: { theme, language },
      headers: { origin },
    })
    await page.setViewportSize(size)
    await page.goto(ofApp ? app + ofApp : ofService ? `${origin}/console${ofService}` : store + place)
    const { ready = 'tbody a, figure svg, main textarea' } = picture
    await page.locator(ready).first().waitFor()
    if (open) {
      await page.locator('tbody a').first().click()
      await page.locator(open).first().waitFor()
    }
    await act?.(page)
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: path.join(OUT, `${name}.png`) })
    console.log(`docs/console/${name}.png`)
  }
} finally {
  await browser.close()
  server.kill()
  await new Promise((resolve) => server.once('exit', resolve))
  rmSync(folder, { recursive: true, force: true })
}
