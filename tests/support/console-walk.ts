import { sql } from 'kysely'
import type { CDPSession, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { COMMAND_LINE } from '../../src/resources/accounts/audit.ts'
import { invite } from '../../src/resources/accounts/invitations.ts'
import { addRegisteredApp } from './apps.ts'
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
import { storeViews } from './console-views.ts'
import { allWords, wordsOf } from './console-words.ts'
import { serviceViews } from './service-views.ts'
import { storePages } from './store-pages.ts'

const WIDTHS = [320, 768, 1440]
const PHONE = 390
const OVERLAYS = 'dialog, [role=menu]'
/** Each run checks one theme: no style for a language may set a colour (COLOURED_BY_LANGUAGE). */
const RUNS = {
  en: { theme: 'light', name: 'English' },
  fr: { theme: 'light', name: 'Français' },
  ar: { theme: 'dark', name: 'العربية' },
} as const

/** Lists whose rows must fit a phone. */
const TABLES_TOO_WIDE = `[...document.querySelectorAll('section[tabindex] > table')]
  .filter(({ parentElement: box }) => box.scrollWidth > box.clientWidth)
  .map(({ caption, parentElement: box }) => caption.innerText + ' needs ' + box.scrollWidth + ' of ' + box.clientWidth)`
/** Styles for a direction or language that set a colour: such a text would have to be checked in both themes. */
const COLOURED_BY_LANGUAGE = `(() => {
  const colours = /^(color|background|opacity|filter|backdrop-filter|text-shadow|mix-blend-mode|-webkit-text-fill-color)/
  const rules = (list) => [...list].flatMap((rule) => [rule, ...rules(rule.cssRules ?? [])])
  return [...document.styleSheets]
    .flatMap(({ cssRules }) => rules(cssRules))
    .filter(({ selectorText }) => /\\[(dir|lang)|:(dir|lang)\\(/.test(selectorText ?? ''))
    .filter(({ style }) => [...style].some((name) => colours.test(name)))
    .map(({ cssText }) => cssText)
})()`
const ENGLISH = texts(allWords('en')).filter((text) => /[a-z]{3}/i.test(text))
/** Words that are the same in every language. */
const SHARED = ['Console', 'Node.js', 'PostgreSQL', 'SKU']

const pathOf = (address: string) => address.split('?')[0] || '/'

/** Whether a page opens at a path: `/orders/:id` at `/orders/1`. */
const isAt = (page: string, path: string) => {
  const parts = path.split('/')
  const pattern = page.split('/')
  return pattern.length === parts.length && pattern.every((part, n) => part.startsWith(':') || part === parts[n])
}

/** Walks through every page, dialog and menu of the console in one language. Each is a test file, so they run side by side. */
export const testEveryPage = (language: keyof typeof RUNS) => {
  const { theme, name: languageName } = RUNS[language]
  const words = wordsOf(language)
  const own = new Set([...texts(allWords(language)), ...SHARED])
  const english = new Set(ENGLISH.filter((text) => !own.has(text)))
  const installed = hasBrowser('the accessibility of the console is not tested')

  describe.skipIf(!installed)(`every page of the console: ${language}`, () => {
    let console: ConsoleBrowser
    let person: Awaited<ReturnType<ConsoleBrowser['signIn']>>
    let page: Page
    let wrong: string[]

    beforeAll(async () => {
      console = await startConsoleBrowser()
      person = await console.signIn()
      page = person.page
      wrong = person.wrong
      const { server, site, db, store } = console
      await addPerson({ app: server.app, origin: site, db }, { role: 'staff', store, permissions: ['order:view'] })
      await page.goto(`${console.home}/settings`)
    })

    const devtools = new Map<Page, CDPSession>()

    /** As setViewportSize(), which also waits for the window that a headless browser does not have. */
    const resize = async (page: Page, width: number) => {
      const session = devtools.get(page) ?? (await page.context().newCDPSession(page))
      devtools.set(page, session)
      await session.send('Emulation.setDeviceMetricsOverride', {
        width,
        // Less to paint where only widths are compared.
        height: width === WIDTHS.at(-1) ? 900 : 400,
        deviceScaleFactor: 1,
        mobile: false,
      })
    }

    const closeOverlays = () =>
      expect
        .poll(async () => {
          const open = await page.locator(OVERLAYS).count()
          if (open > 0) await page.keyboard.press('Escape')
          return open
        })
        .toBe(0)

    /** Accessibility faults, elements that are too wide, and English text on pages of another language. */
    const faults = async (page: Page, context?: object) => {
      // The structure is the same in every language, and checked in English.
      const found = await accessibilityFaults(page, context, language === 'en' ? undefined : LOOKS)
      if (await page.locator('section[tabindex] > table').count()) {
        await resize(page, PHONE)
        found.push(...(await page.evaluate<string[]>(TABLES_TOO_WIDE)))
      }
      for (const width of WIDTHS) {
        await resize(page, width)
        found.push(...(await tooWide(page)).map((element) => `wider than ${width}: ${element}`))
      }
      if (language === 'en') return found
      const shown = await page.evaluate<string[]>(SHOWN_TEXTS)
      return [...found, ...shown.filter((text) => english.has(text))]
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
      const getToken = async () => (await person.console.post(`/stores/${console.store}/token`)).body.data
      const client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
      const walk = { console, page, client, words, language, resize: (width: number) => resize(page, width) }
      const views = [...(await serviceViews(walk)), ...(await storeViews(walk))]
      for (const { name, path, isService, ready, open, part = OVERLAYS } of views) {
        await closeOverlays()
        // Changes the URL as a link does, without reloading the page.
        if (path !== undefined)
          await page.evaluate(
            `history.pushState(null, '', ${JSON.stringify((isService ? `${console.site}/console` : console.home) + path)})`,
          )
        await open?.()
        // Polled, because a waiting locator checks only every half second.
        await expect.poll(() => page.locator(ready).first().isVisible(), { message: name }).toBe(true)
        // The navigation is the same everywhere, and the page behind a dialog was checked before.
        found[name] = await faults(page, path === undefined ? { include: [part] } : { exclude: ['nav'] }).catch(
          (error) => {
            throw new Error(`${name}: ${error.message}`)
          },
        )
      }
      await page.keyboard.press('Escape')
      // The longest amounts.
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`${console.home}/orders?order_by=total`)})`)
      await expect.poll(() => page.locator('main table:not([aria-busy]) tbody a').first().isVisible()).toBe(true)
      await resize(page, PHONE)
      found['dearest orders'] = await page.evaluate<string[]>(TABLES_TOO_WIDE)
      expect(Object.entries(found).filter(([, faults]) => faults.length > 0)).toEqual([])
      const opened = views.flatMap(({ path, isService }) => (path === undefined || isService ? [] : [pathOf(path)]))
      const missing = storePages().filter((page) => !opened.some((path) => isAt(page.path, path)))
      expect(missing.map(({ path }) => path)).toEqual([])
      expect(await page.evaluate(COLOURED_BY_LANGUAGE)).toEqual([])
      expect(wrong.splice(0).filter((text) => !/status of (403|404|412|422)/.test(text))).toEqual([])
    })

    test('account, sign-in and welcome are accessible and fit the screen', async () => {
      const { page, wrong, context } = await console.signIn({ language, theme })
      await page.goto(`${console.site}/console/me`)
      await page.locator('form').first().waitFor()
      expect(await faults(page), 'account').toEqual([])
      const { server, db } = console
      const api = { db, services: server.services }
      const app = await addRegisteredApp(api, {
        permissions: { required: ['product:view', 'order:update'], optional: ['customer:delete'] },
      })
      await page.goto(`${console.site}/console/authorize?client_id=${app.client_id}`)
      await page.locator('form').waitFor()
      expect(await faults(page), 'consent').toEqual([])
      await context.clearCookies()
      await page.goto(`${console.site}/console/sign-in`)
      await page.locator('form').waitFor()
      expect(await faults(page), 'sign-in').toEqual([])
      const account = { email: `${language}@shop.example`, name: '' }
      const { code } = await invite(console.db, COMMAND_LINE, account, { role: 'operator' })
      await page.goto(`${console.site}/console/welcome#${code}`)
      await page.locator('form').waitFor()
      expect(await faults(page), 'welcome').toEqual([])
      expect(wrong.filter((text) => !/status of 401/.test(text))).toEqual([])
      await context.close()
    })

    test('so is what people without a permission, a store or a connection see', async () => {
      const { store, db, home, site } = console
      const grants = [{ role: 'staff' as const, store, permissions: ['order:view'] }]
      const { page, wrong, context, id } = await console.signIn({ language, theme, grants })
      await page.goto(`${home}/products`)
      await page.getByText(words.controls.noPermission).waitFor()
      await context.setOffline(true)
      await page.getByText(words.controls.offline).waitFor()
      expect(await faults(page), 'no permission, offline').toEqual([])
      await context.setOffline(false)
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`${home}/people`)})`)
      await page.getByText(words.people.onlyOwners).waitFor()
      expect(await faults(page, { exclude: ['nav'] }), 'only for owners').toEqual([])
      await sql`delete from membership where account_id = ${id}`.execute(db)
      await page.goto(`${site}/console`)
      await page.getByText(words.shell.noStores).waitFor()
      expect(await faults(page), 'no store').toEqual([])
      expect(wrong).toEqual([])
      await context.close()
    })
  })
}
