import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../client/src/index.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import { type ConsoleBrowser, startConsoleBrowser } from '../../tests/support/console.ts'
import { readConsole, storePages } from '../../tests/support/store-pages.ts'
import { createStore } from '../resources/stores/create-store.ts'

const installed = hasBrowser('what every list of the console has is not tested')

const NOBODY = '01a1e000-0000-7000-8000-000000000000'

interface ListPage {
  path: string
  /** A filter that leaves rows and is none of the built-in views. */
  some: string
  /** One that leaves none. */
  none: string
  row: string
  /** In a row: what leads to another page. */
  link: string
  /** Opens what is done to the selected rows, if not at once. */
  many?: string | null
}

const NO_WORD = 'search=nothing-has-this-name'
const TABLE = { row: 'main tbody tr', link: 'a[data-row]', many: 'Change…' }

/** Every list of a store. */
const LISTS: readonly ListPage[] = [
  { ...TABLE, path: '/orders', some: 'status=paid', none: NO_WORD },
  { ...TABLE, path: '/abandoned', some: 'from=2020-01-01', none: NO_WORD },
  {
    ...TABLE,
    path: '/deliveries/list',
    some: 'cash=owed&from=2020-01-01',
    none: 'tracking_number=X',
    many: 'Cash received',
  },
  { ...TABLE, path: '/products', some: 'out_of_stock=false', none: NO_WORD },
  { ...TABLE, path: '/inventory', some: 'search=fouta', none: NO_WORD, many: null },
  { ...TABLE, path: '/bundles', some: 'status=active&order_by=name', none: `product_id=${NOBODY}` },
  { ...TABLE, path: '/customers', some: 'search=trabelsi', none: NO_WORD, many: 'Export' },
  {
    path: '/reviews',
    some: 'status=published&rating=2',
    none: `product_id=${NOBODY}`,
    row: 'main li[id^=review]',
    link: 'a[href*="/products/"]',
    many: 'Change…',
  },
  { ...TABLE, path: '/landing-pages', some: 'order_by=created_at', none: `product_id=${NOBODY}` },
  {
    path: '/files',
    some: 'fileable_type=product',
    none: 'mime_type=text/x-none',
    row: 'main li:has([data-row])',
    link: '',
    many: 'Delete',
  },
  { path: '/categories', some: '', none: '', row: 'main li:has([data-row])', link: 'a' },
]

type Column =
  | 'skeleton'
  | 'empty state'
  | 'all that match'
  | 'undo or asks'
  | 'shift-range'
  | 'saved views'
  | 'own keys'
  | 'back to the row'

/** The table of the README: what each page has. */
const table = () => {
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  const text = readConsole('README.md')
  const [head = '', , ...lines] = text.slice(text.indexOf('| page |')).split('\n\n')[0]?.split('\n') ?? []
  const [, ...columns] = cells(head)
  return new Map(
    lines.map((line) => {
      const [page = '', ...values] = cells(line)
      const promised = Object.fromEntries(columns.map((name, n) => [name, values[n] !== '–']))
      return [page.replaceAll('`', ''), promised as Record<Column, boolean>]
    }),
  )
}

test('the table of what pages have names every page of a store, and every list is tried below', () => {
  const known = storePages()
  expect(known.length).toBeGreaterThan(25)
  expect([...table().keys()].sort()).toEqual(known.map(({ path }) => path).sort())
  const isListed = ({ source }: { source: string }) => /<ListPage|<Pager|useInfiniteQuery|<SavedViews/.test(source)
  // Sheets of paper are read page by page, too.
  const lists = known.filter((page) => page.path !== '/orders/print' && isListed(page))
  expect(LISTS.map(({ path }) => path).sort()).toEqual(lists.map(({ path }) => path).sort())
  const promised = (column: Column) => [...table()].filter(([, has]) => has[column]).map(([path]) => path)
  const isList = (path: string) => LISTS.some((list) => list.path === path)
  for (const column of ['shift-range', 'saved views'] as const)
    expect(promised(column).filter((path) => !isList(path))).toEqual([])
})

describe.skipIf(!installed)('every list of the console in a browser', () => {
  let console: ConsoleBrowser
  let page: Page
  let wrong: string[]
  let emptyHome: string
  let client: Client

  beforeAll(async () => {
    console = await startConsoleBrowser()
    const person = await console.signIn()
    page = person.page
    wrong = person.wrong
    const empty = await createStore(console.db, { name: 'Nothing sold yet', domain: 'nothing.example' })
    emptyHome = `${console.site}/console/s/${empty.id}`
    const getToken = async () => (await person.console.post(`/stores/${console.store}/token`)).body.data
    client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
    const { products } = await client.products.list({ page_size: 3 })
    for (const [n, { id: product_id }] of products.entries()) {
      await client.bundles.create({ product_id, name: `Pair ${n}`, options: [{ name: 'Two', quantity: 2, price: 10 }] })
      await client.landingPages.create({ product_id, title: `Page ${n}` })
    }
  })

  const rows = ({ row }: ListPage) => page.locator(row)
  const open = async (list: ListPage, query = '') => {
    await page.goto(`${console.home}${list.path}${query && `?${query}`}`)
    await rows(list).first().waitFor()
  }
  const loading = () => page.locator('main').getByText('Loading…').first()
  const tick = (list: ListPage, place: number, options?: Parameters<Locator['click']>[0]) =>
    rows(list).nth(place).locator('input[type=checkbox]').click(options)
  const selection = () => page.locator('main').getByLabel(/^\d+ selected$/)

  for (const list of LISTS)
    test(`${list.path} has what the table says`, async () => {
      const has = table().get(list.path) as Record<Column, boolean>
      expect(has.skeleton && has['empty state'] && has['own keys'] && has['back to the row']).toBe(true)

      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route('**/api/apps/v1/**', (route) => released.then(() => route.continue()))
      await page.goto(`${console.home}${list.path}`)
      await loading().waitFor({ state: 'attached' })
      release()
      await rows(list).first().waitFor()
      await page.unroute('**/api/apps/v1/**')

      await page.goto(`${emptyHome}${list.path}`)
      const empty = page.locator('main h2').first()
      await empty.waitFor()
      const nothing = await empty.innerText()
      expect(await empty.locator('xpath=following-sibling::div').innerText(), nothing).toMatch(/\w+ \w+/)
      if (list.none) {
        await page.goto(`${console.home}${list.path}?${list.none}`)
        await empty.waitFor()
        expect(await empty.locator('xpath=following-sibling::div').innerText()).toMatch(/\w+ \w+/)
      }

      // Keys, and what is said about them.
      await open(list)
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      await page.keyboard.press('k')
      await expect.poll(() => page.locator('main [data-current]').count()).toBe(1)
      await page.keyboard.press('?')
      await page.locator('dialog kbd').first().waitFor()
      const keys = await page.locator('dialog kbd').allInnerTexts()
      expect(keys).toEqual(expect.arrayContaining(['j', 'k', 'g o', '?']))
      expect(keys.includes('x')).toBe(has['shift-range'])
      await page.keyboard.press('Escape')

      if (has['shift-range']) {
        const shown = await rows(list).count()
        const last = Math.min(2, shown - 1)
        await tick(list, 0)
        await tick(list, last, { modifiers: ['Shift'] })
        await page.getByLabel(`${last + 1} selected`).waitFor()
      }
      expect(list.many !== undefined).toBe(has['all that match'])
      if (has['all that match']) {
        await open(list, list.some)
        await tick(list, 0)
        if (list.many) await selection().getByRole('button', { name: list.many }).click()
        await page.locator('dialog, main form').locator('option[value=all]').first().waitFor({ state: 'attached' })
        await page.keyboard.press('Escape')
      }

      if (has['saved views']) {
        await open(list, list.some)
        await page.getByRole('button', { name: 'Save view' }).click()
        await page.locator('dialog').getByLabel('Name of the view').fill(`Mine ${list.path}`)
        await page.locator('dialog').getByRole('button', { name: 'Save' }).click()
        await page
          .getByRole('navigation', { name: 'Views' })
          .getByRole('link', { name: `Mine ${list.path}` })
          .waitFor()
      }

      if (!list.link) return
      await page.setViewportSize({ width: 1200, height: 500 })
      await open(list)
      await page.waitForLoadState('networkidle')
      const link = rows(list).last().locator(list.link).first()
      const href = await link.getAttribute('href')
      await link.scrollIntoViewIfNeeded()
      const before = await page.evaluate<number>('scrollY')
      const from = page.url()
      await link.click()
      await expect.poll(() => page.url()).not.toBe(from)
      await page.waitForLoadState('networkidle')
      await page.goBack()
      await expect.poll(() => page.url()).toBe(from)
      await expect.poll(() => page.evaluate('document.activeElement.getAttribute("href")')).toBe(href)
      await expect.poll(() => page.evaluate('scrollY')).toBe(before)
      await page.setViewportSize({ width: 1440, height: 900 })
    })

  test('a view is shown on its own list and in its own store only', async () => {
    const withViews = LISTS.filter(({ path }) => table().get(path)?.['saved views'])
    const saved = (path: string) =>
      page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: `Mine ${path}` })
    const mine = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: /^Mine / })
    for (const list of withViews) {
      await open(list)
      await saved(list.path).waitFor()
      expect(await mine.allInnerTexts()).toEqual([`Mine ${list.path}`])
    }
    await page.goto(`${emptyHome}/orders`)
    await page.locator('main h2').first().waitFor()
    await page.waitForLoadState('networkidle')
    expect(await mine.count()).toBe(0)
  })

  test('«back» returns to the link on every other page that leads on', async () => {
    const { orders } = await client.orders.list({ status: 'paid', page_size: 1 })
    const { customers } = await client.customers.list({ search: 'trabelsi', page_size: 1 })
    const ids: Record<string, string | undefined> = { '/orders/:id': orders[0]?.id, '/customers/:id': customers[0]?.id }
    for (const [path, has] of table()) {
      if (!has['back to the row'] || LISTS.some((list) => list.path === path)) continue
      await page.goto(console.home + path.replace(/\/$/, '').replace(':id', ids[path] ?? ''))
      const link = page.locator(`main a[href^="/console/s/${console.store}/"]`).last()
      await link.waitFor()
      await page.waitForLoadState('networkidle')
      const [from, href] = [page.url(), await link.getAttribute('href')]
      await link.click()
      await expect.poll(() => page.url(), { message: path }).not.toBe(from)
      await page.goBack()
      await expect
        .poll(() => page.evaluate('document.activeElement.getAttribute("href")'), { message: path })
        .toBe(href)
    }
  })

  test('pages that read data show that they do', async () => {
    const ids = { ':id': NOBODY, ':client': NOBODY }
    const data = /\/api\/apps\/v1\/|\/console\/api\/stores\/[^/]+\/(?!token)/
    // Never answered: the next page is opened instead.
    await page.route(data, () => {})
    for (const [path, has] of table()) {
      if (!has.skeleton) continue
      const place = path.replace(/:id|:client/, (name) => ids[name as keyof typeof ids]).replace(/^\/$/, '')
      await page.goto(`${console.home}${place}${path === '/orders/print' ? `?ids=${NOBODY}` : ''}`)
      await expect.poll(() => loading().count(), { message: path }).toBeGreaterThan(0)
    }
    expect(wrong.filter((text) => !/status of 404|ERR_ABORTED/.test(text))).toEqual([])
  })
})
