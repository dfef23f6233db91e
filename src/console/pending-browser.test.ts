import type { Locator, Page, Route } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../tests/support/browser.ts'
import { addPerson, type ConsoleBrowser, holdRequest, startConsoleBrowser } from '../../tests/support/console.ts'
import { addAppWithCalls } from '../../tests/support/service-views.ts'

const installed = hasBrowser('what actions show while they wait is not tested')

/** The control itself; or, of a message whose button is gone with it, the line at the head of the window. */
const BUSY = 'button[aria-busy="true"]'
const LINE = '[data-waiting]'
/** Texts that people see and that only say that something is loaded. */
const LOADING = `[...document.querySelectorAll('body *')]
  .filter((one) => one.children.length === 0 && /loading/i.test(one.innerText) && !one.closest('.hidden'))
  .map(({ outerHTML }) => outerHTML)`

describe.skipIf(!installed)('what actions show while they wait', () => {
  let console: ConsoleBrowser
  let app: Awaited<ReturnType<typeof addAppWithCalls>>
  let page: Page
  let wrong: string[]

  beforeAll(async () => {
    console = await startConsoleBrowser()
    app = await addAppWithCalls(console)
    const person = await console.signIn()
    page = person.page
    wrong = person.wrong
  })

  /** Holds every write until it is let go, and counts them. */
  const holdWrites = async () => {
    const held: Route[] = []
    let isOpen = false
    const isWrite = (url: URL) => /\/(console\/api|api\/apps\/v1)\//.test(url.pathname)
    await page.route(isWrite, async (route) => {
      if (route.request().method() === 'GET' || isOpen) return route.fallback()
      held.push(route)
    })
    return {
      count: () => held.length,
      letGo: async () => {
        isOpen = true
        for (const route of held) await route.continue()
      },
      stop: () => page.unroute(isWrite),
    }
  }

  /**
   * Presses a control twice while nothing is answered: it shows at once that it waits, sends one request, and is as before
   * when the answer has come.
   */
  const expectSign = async (control: Locator, name: string, sign = BUSY) => {
    const writes = await holdWrites()
    // Pressed as by a person who presses twice: the second press finds the control as the first one left it.
    await control.evaluate((button) => {
      const { click } = button as unknown as { click: () => void }
      for (const _ of [1, 2]) click.call(button)
    })
    await page.locator(sign).first().waitFor()
    if (sign === BUSY) {
      expect(await page.locator(BUSY).first().getAttribute('aria-disabled'), name).toBe('true')
      await page.locator(BUSY).first().click({ force: true })
    }
    await expect.poll(writes.count, { message: name }).toBe(1)
    await writes.letGo()
    await expect.poll(() => page.locator(sign).count(), { message: name }).toBe(0)
    expect(writes.count(), name).toBe(1)
    await writes.stop()
  }

  const main = () => page.locator('main')
  const dialog = () => page.locator('dialog')
  const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true })
  const closeDialogs = () =>
    expect
      .poll(async () => {
        const open = await dialog().count()
        if (open > 0) await page.keyboard.press('Escape')
        return open
      })
      .toBe(0)
  const row = (text: string) => main().locator('li').filter({ hasText: text })
  const chosen = async (on: Locator, item: string | RegExp) => {
    await on.getByRole('button', { name: /^More actions/ }).click()
    return page.getByRole('menuitem', { name: item })
  }

  test('operators: stores, people and apps', async () => {
    const { server, site, db, store } = console
    await page.goto(`${site}/console/stores`)
    await page.getByRole('button', { name: 'New store' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Slow store')
    await expectSign(inDialog('Create'), 'create a store')
    await (await chosen(row('Slow store'), 'Suspend')).click()
    await expectSign(inDialog('Suspend'), 'suspend a store')
    // In the toast.
    await expectSign(page.getByRole('status').getByRole('button', { name: 'Resume' }), 'take it back', LINE)
    await row('Slow store').getByText('Suspended', { exact: true }).waitFor({ state: 'detached' })
    await (await chosen(row('Slow store'), 'Suspend')).click()
    await inDialog('Suspend').click()
    await row('Slow store').getByText('Suspended', { exact: true }).waitFor()
    // From a menu: it closes, and its button waits.
    await expectSign(await chosen(row('Slow store'), 'Resume'), 'resume a store')

    const clerk = { role: 'staff' as const, store, permissions: ['order:view'] }
    const { email } = await addPerson({ app: server.app, origin: site, db }, clerk)
    await page.goto(`${site}/console/people?search=${email}`)
    await expectSign(await chosen(row(email), 'Link for a new password'), 'make a link')
    await dialog().locator('input[readonly]').waitFor()
    await closeDialogs()
    await (await chosen(row(email), 'Sessions')).click()
    await dialog().getByRole('button', { name: 'End', exact: true }).first().click()
    await expectSign(dialog().last().getByRole('button', { name: 'End', exact: true }), 'end a session')
    await closeDialogs()
    await (await chosen(row(email), 'Disable')).click()
    await expectSign(inDialog('Disable'), 'disable a person')
    await expectSign(await chosen(row(email), 'Enable'), 'enable a person')

    await page.goto(`${site}/console/apps`)
    await (await chosen(row('Delivery sync'), 'New secret')).click()
    await expectSign(dialog().locator('button[type=submit]'), 'make a new secret')
    await closeDialogs()
    expect(wrong).toEqual([])
  })

  test('developers: permissions, webhooks and the playground', async () => {
    const { site } = console
    await page.goto(`${site}/console/apps/${app.id}/permissions`)
    await page.getByRole('button', { name: /^Revoke \d/ }).click()
    await expectSign(inDialog('Revoke'), 'revoke permissions')
    await expectSign(page.getByRole('button', { name: 'Undo' }), 'give them back', LINE)
    await page.goto(`${site}/console/apps/${app.id}/webhooks/${app.webhook}`)
    await expectSign(main().getByRole('button', { name: 'Pause' }), 'pause a webhook')
    await expectSign(main().getByRole('button', { name: 'Resume' }), 'resume a webhook')
    await expectSign(main().getByRole('button', { name: 'Send a test' }), 'test a webhook')
    await page.goto(`${site}/console/apps/${app.id}/playground`)
    await expectSign(main().getByRole('button', { name: 'Get a token' }), 'get a token')
    await page.goto(`${site}/console/apps/${app.id}/playground?call=POST+/product`)
    await expectSign(main().locator('form button[type=submit]'), 'send a call')
    // The recorded example is of another product.
    expect(wrong.splice(0).filter((text) => !/status of 422/.test(text))).toEqual([])
  })

  test('members: a page with a form, and what is chosen in a menu', async () => {
    await page.goto(`${console.site}/console/me`)
    await page.getByLabel('Name', { exact: true }).fill('Amina the Slow')
    await expectSign(page.getByRole('button', { name: 'Save', exact: true }), 'save one’s name')
    // The colours change before the answer.
    const writes = await holdWrites()
    await page.getByRole('button', { name: /Amina the Slow/ }).click()
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    await page.locator('html[data-theme=dark]').waitFor()
    expect(writes.count()).toBe(1)
    await writes.letGo()
    await page.keyboard.press('Escape')
    expect(wrong).toEqual([])
  })

  test('a filter and a page whose answer is late show that something is read', async () => {
    await page.goto(`${console.site}/console/stores`)
    await row('Slow store').waitFor()
    const filtered = await holdRequest(page, '**/console/api/operator/stores?*suspended*')
    await page.getByLabel('State').selectOption('suspended')
    await page.locator('[data-waiting]').waitFor()
    filtered()
    await page.locator('[data-waiting]').waitFor({ state: 'detached' })
    // Pages come with their code and their words: until then there is a skeleton.
    const code = await holdRequest(page, /\/SystemPage[^/]*\.js$/)
    await page.getByRole('link', { name: 'System' }).click()
    await main().locator('[role=status] [aria-hidden]').first().waitFor()
    code()
    await main().getByRole('heading', { level: 1 }).waitFor()
    expect(wrong).toEqual([])
  })

  test('no page says that it loads: it shows lines where its content is about to be', async () => {
    const paths = [
      ...['stores', 'people', 'apps', 'plans', 'invoices', 'activity', 'system', 'developer', 'me', 'me/assistants'],
      ...['log', 'errors', 'retries', 'permissions', 'webhooks', 'events', 'playground'].map(
        (section) => `apps/${app.id}/${section}`,
      ),
      ...['people', 'apps', 'orders', 'products', 'settings'].map((name) => `s/${console.store}/${name}`),
    ]
    for (const path of paths) {
      const held: Route[] = []
      const isRead = (url: URL) =>
        /\/(console\/api|api\/apps\/v1)\//.test(url.pathname) && !/\/(me|state|token)$/.test(url.pathname)
      await page.route(isRead, (route) => {
        held.push(route)
      })
      await page.goto(`${console.site}/console/${path}`)
      await main().locator('[role=status] [aria-hidden]').first().waitFor()
      expect(await page.evaluate(LOADING), path).toEqual([])
      await page.unroute(isRead)
      for (const route of held) await route.continue().catch(() => {})
    }
    expect(wrong).toEqual([])
  })
})
