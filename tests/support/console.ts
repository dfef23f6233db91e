import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, Page } from 'playwright-core'
import type { Config } from '../../src/config/config.ts'
import { openDatabase } from '../../src/core/storage/database.ts'
import { COMMAND_LINE } from '../../src/resources/accounts/audit.ts'
import { invite } from '../../src/resources/accounts/invitations.ts'
import type { Grant } from '../../src/resources/accounts/roles.ts'
import { startHttpServer } from '../../src/server/http-server.ts'
import { CHEAP, type TestApi } from './api.ts'
import { openBrowser } from './browser.ts'
import { type Caller, createCaller, type Reply } from './caller.ts'
import { addCleanup } from './cleanup.ts'
import { cloneDemo } from './demo-store.ts'

export const PASSWORD = 'correct horse battery'

/** The header that a browser sends with requests from a page of the console. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' }

/** The value of the session cookie that a reply sets, as a browser sends it back. */
export const cookieOf = (reply: Reply) => (reply.headers.get('set-cookie') ?? '').split(';')[0] ?? ''

export const consoleCaller = (api: Pick<TestApi, 'app' | 'origin'>, cookie = ''): Caller =>
  createCaller(api.app, api.origin, '/console/api', { ...OWN_PAGE, ...(cookie && { cookie }) })

let people = 0

/** A person with the given roles who has signed in. */
export const addPerson = async (api: Pick<TestApi, 'app' | 'origin' | 'db'>, ...grants: Grant[]) => {
  const email = `person-${process.pid}-${++people}@shop.example`
  const name = `Amina ${people}`
  const [first = { role: 'operator' }, ...more] = grants
  const { code } = await invite(api.db, COMMAND_LINE, { email, name }, first)
  const reply = await consoleCaller(api).post('/link', { code, password: PASSWORD })
  if (reply.status !== 200) throw new Error(reply.text)
  const cookie = cookieOf(reply)
  const console = consoleCaller(api, cookie)
  const person = { id: (await console.get('/me')).body.data.account.id as string, email, name, cookie, console }
  for (const grant of more) await addRole(api, person, grant)
  return person
}

/** Gives a person another role, with the link of an invitation. */
export const addRole = async (
  { db }: Pick<TestApi, 'db'>,
  person: { email: string; console: Caller },
  grant: Grant,
) => {
  const { code } = await invite(db, COMMAND_LINE, { email: person.email, name: '' }, grant)
  const reply = await person.console.post('/link/join', { code })
  if (reply.status !== 200) throw new Error(reply.text)
}

/** A token of the console for a store, as an API caller. */
export const storeCaller = async (api: TestApi, person: { console: Caller }, store = api.store.id) => {
  const { body } = await person.console.post(`/stores/${store}/token`)
  return api.anonymous.with({ authorization: `Bearer ${body.data.token}` })
}

interface ConsoleTab {
  page: Page
  /** Console errors, requests to other hosts and policy violations: must stay empty. */
  wrong: string[]
}

/**
 * The console in a real browser, with the demo store: one server for a test file, one browser for all. Every tab records
 * errors that must never happen; `ignore` matches those that a test causes on purpose.
 */
export const startConsoleBrowser = async (settings: Partial<Config> = {}) => {
  const { connection, config: own, demo } = await cloneDemo()
  const config = { ...own, ...settings }
  const start = (port: number) => startHttpServer({ ...config, PORT: port }, connection, { demo, passwordCost: CHEAP })
  let server = await start(config.PORT)
  const database = openDatabase(connection, { pool: 2, prepare: false, name: 'test', untimed: true })
  addCleanup(async () => {
    await server.close()
    await database.close()
  })
  const browser = await openBrowser()
  const site = `http://127.0.0.1:${server.port}`
  const { db } = database
  const found = await db
    .selectFrom('installation')
    .select('store_id')
    .where('id', '=', demo.install_id)
    .executeTakeFirstOrThrow()

  const newTab = async (context: BrowserContext, ignore: RegExp = /^$/): Promise<ConsoleTab> => {
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    const wrong: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' && !ignore.test(message.text())) wrong.push(message.text())
    })
    page.on('pageerror', (error) => wrong.push(error.message))
    page.on('request', (request) => {
      if (!request.url().startsWith(`${site}/`) && !/^(data|blob):/.test(request.url())) wrong.push(request.url())
    })
    return { page, wrong }
  }

  /** A person in a separate browser context, signed in without the form. */
  const signIn = async (
    {
      language = 'en',
      theme = 'light',
      grants = [],
    }: { language?: 'en' | 'fr' | 'ar'; theme?: 'light' | 'dark'; grants?: Grant[] } = {},
    size = { width: 1440, height: 900 },
  ) => {
    const person = await addPerson({ app: server.app, origin: site, db }, ...grants)
    await person.console.put('/me', { language, theme })
    const context = await browser.newContext({ viewport: size, reducedMotion: 'reduce', locale: 'en' })
    const [name = '', value = ''] = person.cookie.split('=')
    await context.addCookies([
      { name, value, domain: '127.0.0.1', path: '/console', httpOnly: true, sameSite: 'Strict' },
    ])
    return { ...person, context, ...(await newTab(context)) }
  }

  /** Stops the server, and starts it again at the same address. */
  const restart = async (meanwhile: () => Promise<unknown>) => {
    const { port } = server
    await server.close()
    await meanwhile()
    server = await start(port)
  }

  return {
    site,
    get server() {
      return server
    },
    restart,
    db,
    browser,
    newTab,
    signIn,
    store: found.store_id,
    home: `${site}/console/s/${found.store_id}`,
  }
}

export type ConsoleBrowser = Awaited<ReturnType<typeof startConsoleBrowser>>

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What depends on colours, language or direction. */
export const LOOKS = {
  type: 'rule',
  values: ['color-contrast', 'link-in-text-block', 'html-has-lang', 'html-lang-valid', 'target-size'],
}

/** The violations of WCAG 2.2 AA that axe finds. Context and rules are axe's: what to include or exclude, and what to run. */
export const accessibilityFaults = async (page: Page, context?: object, runOnly: object = WCAG) => {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE)
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'], preload: false })
  return page.evaluate<
    string[]
  >(`axe.run(${context ? JSON.stringify(context) : 'document'}, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => id + ': ' + node.html.slice(0, 200) + ' ' + (node.any[0]?.message ?? ''))))`)
}

const TOO_WIDE = `(() => {
  const width = document.documentElement.clientWidth
  const scrolls = (element) =>
    element !== null && (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement))
  const isWide = (element) => {
    const { left, right, width: own } = element.getBoundingClientRect()
    if (own <= 1 || (right <= width + 1 && left >= -1)) return false
    return getComputedStyle(element).visibility === 'visible' && !scrolls(element)
  }
  return [...document.body.querySelectorAll('*')].filter(isWide).map((element) => element.outerHTML.slice(0, 150))
})()`

/** Elements that are wider than the window, except inside a scrollable box. */
export const tooWide = (page: Page) => page.evaluate<string[]>(TOO_WIDE)

/** Holds the next request to these addresses until it is released. */
export const holdRequest = async (page: Page, address: string | RegExp) => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(address, (route) => released.then(() => route.continue()), { times: 1 })
  return release
}

/** How many rows a list says there are. Its rows are shown before they are counted. */
export const total = async (page: Page) => {
  await page.locator('table:not([aria-busy])').waitFor()
  const range = /–[\d,]+ of ([\d,]+)$/
  const shown = await page.locator('main').getByText(range).innerText()
  return Number(range.exec(shown)?.[1]?.replaceAll(',', ''))
}

/** Pastes a text into the focused element, as from a spreadsheet. */
export const pasting = (text: string) => `(() => {
  const data = new DataTransfer()
  data.setData('text', ${JSON.stringify(text)})
  const paste = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
  document.activeElement.dispatchEvent(paste)
})()`

/** Every text of the English messages that has letters and no placeholder. */
export const texts = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
}

/** All texts on the page, but for those that are marked as of another language: the API describes itself in English. */
export const SHOWN_TEXTS = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const found = []
  while (walker.nextNode()) {
    const { parentElement, data } = walker.currentNode
    if (parentElement.closest('[lang]').lang === document.documentElement.lang) found.push(data.trim())
  }
  return found
})()`
