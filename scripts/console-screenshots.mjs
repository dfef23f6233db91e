// Takes the pictures of docs/console/ from the built console with the demo store: node scripts/console-screenshots.mjs
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

/** Each picture: its name, the page below the store, how the console looks, and what to do before. */
const PICTURES = [
  { name: 'home', page: '' },
  { name: 'home-dark', page: '', theme: 'dark' },
  { name: 'home-arabic', page: '', language: 'ar' },
  { name: 'home-phone', page: '', size: PHONE },
  { name: 'orders', page: '/orders' },
  { name: 'orders-arabic', page: '/orders', language: 'ar' },
  { name: 'order', page: '/orders?return_status=delivered', open: 'ol li' },
  {
    name: 'product',
    page: '/products?search=fouta',
    open: '[aria-rowcount]',
    act: (page) => page.evaluate("document.querySelector('[aria-rowcount]').scrollIntoView({ block: 'end' })"),
  },
  { name: 'reviews', page: '/reviews?status=all' },
  {
    name: 'ship',
    page: '/orders?delivery_status=unfulfilled&is_cancelled=false&is_archived=false',
    act: async (page) => {
      for (const place of [0, 1, 2, 3]) await page.locator('tbody input').nth(place).check()
      await page.getByRole('button', { name: 'Ship 4 orders' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
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
  for (const { name, page: place, theme = 'light', language = 'en', size = DESK, open, act } of PICTURES) {
    await page.request.put(`${new URL(link).origin}/console/api/me`, {
      data: { theme, language },
      headers: { origin: new URL(link).origin },
    })
    await page.setViewportSize(size)
    await page.goto(store + place)
    await page
      .locator(place.startsWith('/reviews') ? 'main li strong' : 'tbody a, figure svg')
      .first()
      .waitFor()
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
