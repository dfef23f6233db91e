import type { CDPSession, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../client/src/index.ts'
import ar from '../../console/src/messages/ar.ts'
import en from '../../console/src/messages/en.ts'
import { COMMAND_LINE } from '../../src/accounts/audit.ts'
import { createAccount } from '../../src/accounts/create-account.ts'
import { hasBrowser } from './browser.ts'
import {
  accessibilityFaults,
  addPerson,
  type ConsoleBrowser,
  LOOKS,
  SHOWN_TEXTS,
  startConsoleBrowser,
  texts,
  tooWide,
} from './console.ts'

const WIDTHS = [320, 768, 1440]
const PHONE = 390
/** Two runs cover every combination: colours do not depend on the language, and structure depends on neither. */
const RUNS = {
  en: { words: en, theme: 'light', name: 'English' },
  ar: { words: ar, theme: 'dark', name: 'العربية' },
} as const

/** Lists whose rows must fit a phone. */
const TABLES_TOO_WIDE = `[...document.querySelectorAll('section[tabindex] > table')]
  .filter(({ parentElement: box }) => box.scrollWidth > box.clientWidth)
  .map(({ caption, parentElement: box }) => caption.innerText + ' needs ' + box.scrollWidth + ' of ' + box.clientWidth)`
const ENGLISH = new Set(texts(en).filter((text) => /[a-z]{3}/i.test(text)))
/** Words that are the same in every language. */
const SHARED = ['Console', 'SKU']

interface View {
  name: string
  /** Path below the store's home; undefined for a view that opens over the current page. */
  path?: string
  ready: string
  open?: () => Promise<unknown>
}

/**
 * Walks through every page, dialog and menu of the console in one language and theme. Each language is a test file, so that
 * they run side by side.
 */
export const testEveryPage = (language: keyof typeof RUNS) => {
  const { words, theme, name: languageName } = RUNS[language]
  const installed = hasBrowser('the accessibility of the console is not tested')

  describe.skipIf(!installed)(`every page of the console: ${language}`, () => {
    let console: ConsoleBrowser
    let person: Awaited<ReturnType<ConsoleBrowser['signIn']>>
    let page: Page
    let wrong: string[]
    let client: Client

    beforeAll(async () => {
      console = await startConsoleBrowser()
      person = await console.signIn()
      page = person.page
      wrong = person.wrong
      const getToken = async () => (await person.console.post(`/stores/${console.store}/token`)).body.data
      client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
      const { server, site, db, store } = console
      await addPerson({ app: server.app, origin: site, db }, { role: 'staff', store, permissions: ['order:view'] })
      await page.goto(`${console.home}/settings`)
    })

    const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click()
    const menu = async (item: string) => {
      await page.locator('main').getByRole('button', { name: words.controls.more }).first().click()
      await page.getByRole('menuitem', { name: item }).click()
    }

    /** Every page, dialog and menu, in an order in which each opens from the one before. */
    const views = async (): Promise<View[]> => {
      const { orders } = await client.orders.list({ status: 'paid', delivery_status: 'unfulfilled', page_size: 1 })
      const order = orders[0]?.id as string
      const { products } = await client.products.list({ search: 'fouta', page_size: 10 })
      const product = products.find(({ variants, images }) => variants.length > 0 && images.length > 0)?.id as string
      const { customers } = await client.customers.list({ search: 'trabelsi', page_size: 1 })
      const { landingPages } = await client.landingPages.list({ page_size: 1 })
      return [
        { name: 'general settings', path: '/settings', ready: 'form' },
        { name: 'carriers', path: '/settings?section=carriers', ready: 'main li button' },
        { name: 'carrier', ready: 'dialog', open: () => page.locator('main li button').first().click() },
        { name: 'payment methods', path: '/settings?section=payment', ready: 'main li strong' },
        { name: 'domains', path: '/settings?section=domains', ready: 'main li strong' },
        { name: 'policies', path: '/settings?section=policies', ready: 'main li strong' },
        { name: 'home', path: '', ready: 'figure svg' },
        // A few rows are enough, and axe checks every cell.
        { name: 'orders', path: '/orders?search=olfa%20trabelsi', ready: 'tbody a' },
        { name: 'columns', ready: '[role=menu]', open: () => press(words.controls.columns) },
        {
          name: 'ship many',
          ready: 'dialog',
          open: async () => {
            await page.keyboard.press('Escape')
            for (const place of [0, 1]) await page.locator('tbody input').nth(place).check()
            await page.locator('section[aria-label] button').first().click()
          },
        },
        { name: 'no order', path: '/orders?search=nothing-has-this-name', ready: 'main h2' },
        { name: 'order', path: `/orders/${order}`, ready: 'ol li' },
        { name: 'shipping', ready: 'dialog', open: () => page.locator('main header button').last().click() },
        { name: 'return', ready: 'dialog', open: () => menu(words.orders.return) },
        { name: 'refund', ready: 'dialog', open: () => menu(words.orders.refund) },
        { name: 'packing list', path: `/orders/print?ids=${order}`, ready: 'article' },
        { name: 'products', path: '/products?search=fouta', ready: 'tbody a' },
        {
          name: 'change of many products',
          ready: 'dialog',
          open: async () => {
            await page.locator('tbody input').first().check()
            await press(words.products.bulkEdit)
          },
        },
        { name: 'new product', path: '/products/new', ready: 'form' },
        { name: 'product', path: `/products/${product}`, ready: 'form tbody tr' },
        { name: 'variant', ready: 'dialog', open: () => page.locator('form tbody th button').first().click() },
        { name: 'alternative text', ready: 'dialog', open: () => press(words.products.editPicture('1')) },
        {
          name: 'conflict',
          ready: 'dialog table, dialog fieldset',
          open: async () => {
            const title = page.getByLabel(words.products.name, { exact: true })
            await title.fill(`${await title.inputValue()} 1`)
            await client.products.update(product, { title: `Fouta ${Math.random()}`, description: 'Woven by hand.' })
            await press(words.controls.save)
          },
        },
        { name: 'categories', path: '/categories', ready: 'main li a' },
        { name: 'category', ready: 'dialog', open: () => page.locator('main li button').first().click() },
        { name: 'customers', path: '/customers?search=olfa.trabelsi', ready: 'tbody a' },
        { name: 'customer', path: `/customers/${customers[0]?.id}`, ready: 'main h2' },
        { name: 'customer form', ready: 'dialog', open: () => press(words.controls.edit) },
        { name: 'reviews', path: '/reviews?status=hidden&rating=4', ready: 'main li strong' },
        { name: 'landing pages', path: '/landing-pages?cod_type=popup', ready: 'tbody a' },
        { name: 'landing page', path: `/landing-pages/${landingPages[0]?.id}`, ready: 'form' },
        { name: 'files', path: '/files?mime_type=video/*', ready: 'main li button' },
        { name: 'file', ready: 'dialog dl', open: () => page.locator('main li button').first().click() },
        { name: 'people', path: '/people', ready: 'main li strong' },
        { name: 'invitation', ready: 'dialog', open: () => press(words.people.invite) },
        { name: 'nothing', path: '/nowhere', ready: 'main' },
        { name: 'palette', ready: 'dialog [role=option]', open: () => page.keyboard.press('Control+k') },
        { name: 'keyboard help', ready: 'dialog', open: () => page.keyboard.press('?') },
        { name: 'stores', ready: 'dialog li', open: () => press(new RegExp(words.shell.switchStore)) },
      ]
    }

    const devtools = new Map<Page, CDPSession>()

    /** As setViewportSize(), which also waits for the window that a headless browser does not have. */
    const resize = async (page: Page, width: number) => {
      const session = devtools.get(page) ?? (await page.context().newCDPSession(page))
      devtools.set(page, session)
      await session.send('Emulation.setDeviceMetricsOverride', {
        width,
        height: 900,
        deviceScaleFactor: 1,
        mobile: false,
      })
    }

    /** Accessibility faults, elements that are too wide, and English text on pages of another language. */
    const faults = async (page: Page, context?: object) => {
      const found = await accessibilityFaults(page, context, language === 'en' ? undefined : LOOKS)
      await resize(page, PHONE)
      found.push(...(await page.evaluate<string[]>(TABLES_TOO_WIDE)))
      for (const width of WIDTHS) {
        await resize(page, width)
        found.push(...(await tooWide(page)).map((element) => `wider than ${width}: ${element}`))
      }
      if (language === 'en') return found
      const shown = await page.evaluate<string[]>(SHOWN_TEXTS)
      return [...found, ...shown.filter((text) => ENGLISH.has(text) && !SHARED.includes(text))]
    }

    test('is accessible, fits every width and speaks one language', async () => {
      await page.locator('nav button[aria-haspopup=menu]').click()
      await page.getByRole('menu').waitFor()
      await page.getByRole('menuitemradio', { name: languageName }).click()
      await page.locator(`html[lang=${language}]`).waitFor({ state: 'attached' })
      await person.console.put('/me', { theme })
      await page.reload()
      await page.locator(`html[data-theme=${theme}]`).waitFor({ state: 'attached' })
      await page.locator('nav button[aria-haspopup=menu]').click()
      await page.getByRole('menu').waitFor()
      const found: Record<string, string[]> = { 'account menu': await faults(page) }
      await page.keyboard.press('Escape')
      // Changes the URL as a link does, without reloading the page.
      for (const { name, path, ready, open } of await views()) {
        while (await page.locator('dialog').count()) await page.keyboard.press('Escape')
        if (path !== undefined)
          await page.evaluate(`history.pushState(null, '', ${JSON.stringify(console.home + path)})`)
        await open?.()
        // Polled, because a waiting locator checks only every half second.
        await expect.poll(() => page.locator(ready).first().isVisible()).toBe(true)
        // The navigation is the same everywhere, and the page behind a dialog was checked before.
        found[name] = await faults(
          page,
          path === undefined ? { include: ['dialog, [role=menu]'] } : { exclude: ['nav'] },
        )
      }
      await page.keyboard.press('Escape')
      // The longest amounts.
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`${console.home}/orders?order_by=total`)})`)
      await expect.poll(() => page.locator('main table:not([aria-busy]) tbody a').first().isVisible()).toBe(true)
      await resize(page, PHONE)
      found['dearest orders'] = await page.evaluate<string[]>(TABLES_TOO_WIDE)
      expect(Object.entries(found).filter(([, faults]) => faults.length > 0)).toEqual([])
      expect(wrong.splice(0).filter((text) => !/status of (404|412)/.test(text))).toEqual([])
    })

    test('account, sign-in and welcome are accessible and fit the screen', async () => {
      const { page, wrong, context } = await console.signIn({ language, theme })
      await page.goto(`${console.site}/console/me`)
      await page.locator('form').first().waitFor()
      expect(await faults(page), 'account').toEqual([])
      await context.clearCookies()
      await page.goto(`${console.site}/console/sign-in`)
      await page.locator('form').waitFor()
      expect(await faults(page), 'sign-in').toEqual([])
      const account = { email: `${language}@shop.example`, name: '' }
      const { code } = await createAccount(console.db, COMMAND_LINE, account, { role: 'operator' })
      await page.goto(`${console.site}/console/welcome#${code}`)
      await page.locator('form').waitFor()
      expect(await faults(page), 'welcome').toEqual([])
      expect(wrong.filter((text) => !/status of 401/.test(text))).toEqual([])
      await context.close()
    })
  })
}
