import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import {
  type ConsoleBrowser,
  holdRequest,
  PASSWORD,
  pasting,
  SHOWN_TEXTS,
  startConsoleBrowser,
  texts,
  tooWide,
  total,
} from '../../tests/support/console.ts'
import { allWords } from '../../tests/support/console-words.ts'
import { firstLinkCode } from '../resources/accounts/one-time-links.ts'

const installed = hasBrowser('the console is not tested in a browser')

const MAX_REQUESTS = 8

const rows = (page: Page) => page.locator('tbody tr')
/** Of the requested rows, not of the previous ones. */
const refs = async (page: Page) => {
  await page.locator('table:not([aria-busy])').waitFor()
  return page.locator('tbody a').allInnerTexts()
}

describe.skipIf(!installed)('the console in a browser', () => {
  let console: ConsoleBrowser

  beforeAll(async () => {
    console = await startConsoleBrowser()
  })

  test('the link of the first start asks for a password and opens the demo shop', async () => {
    const { site, browser, server, db, newTab } = console
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const { page, wrong } = await newTab(context)
    await page.goto(`${site}/console`)
    await page.getByText('storefront-apps console link').waitFor()
    const code = await firstLinkCode(db, server.services.firstCode)
    await page.goto(`${site}/console/welcome#${code}`)
    const open = page.getByRole('button', { name: 'Open the demo shop' })
    await open.waitFor()
    expect(page.url(), 'the code leaves the address').toBe(`${site}/console/welcome`)
    await page.getByLabel('Email').fill('first@shop.example')
    await page.getByLabel('Password').fill('short')
    await open.click()
    await page.getByText('Write at least 12 characters.').waitFor()
    expect(await page.getByLabel('Email').inputValue(), 'what was typed stays').toBe('first@shop.example')
    await page.getByLabel('Password').fill(PASSWORD)
    await open.click()
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
    expect(page.url()).toBe(`${site}/console/s/${console.store}`)
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    for (const secret of [PASSWORD, code as string, 'eyJ']) expect(kept).not.toContain(secret)

    await page.getByRole('button', { name: 'first@shop.example' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(wrong.filter((text) => !/status of 422/.test(text))).toEqual([])
    await context.close()
  })

  test('a wrong password is reported, and after signing in the requested page opens', async () => {
    const { site, browser, newTab, store } = console
    const { email } = await console.signIn()
    const context = await browser.newContext()
    const { page, wrong } = await newTab(context, /status of 401/)
    await page.goto(`${site}/console/s/${store}/orders?status=paid`)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill('wrong wrong wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The email or the password is wrong.').waitFor()
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await rows(page).first().waitFor()
    expect(page.url()).toBe(`${site}/console/s/${store}/orders?status=paid`)
    // The session ends elsewhere: the page asks for the password, then continues.
    await sql`delete from session`.execute(console.db)
    await page.reload()
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await rows(page).first().waitFor()
    expect(page.url()).toBe(`${site}/console/s/${store}/orders?status=paid`)
    expect(wrong).toEqual([])
    await context.close()
  })

  test('signing out reaches the other tabs at once: they are left, or covered where something is unsaved', async () => {
    const { page, context, email } = await console.signIn()
    const clean = await console.newTab(context)
    await clean.page.goto(`${console.home}/orders`)
    await rows(clean.page).first().waitFor()
    const dirty = await console.newTab(context)
    await dirty.page.goto(`${console.home}/products/new`)
    await dirty.page.getByLabel('Title', { exact: true }).fill('Half a product')
    await page.goto(`${console.home}/orders`)
    await page.getByRole('button', { name: /^Amina/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await clean.page.getByRole('heading', { name: 'Sign in to the console' }).waitFor()
    expect(await rows(clean.page).count()).toBe(0)
    const dialog = dirty.page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.waitFor()
    const backdrop = `getComputedStyle(document.querySelector('dialog'), '::backdrop').backgroundColor`
    expect(await dirty.page.evaluate(backdrop)).toMatch(/^rgb\(/)
    // One sign-in is enough for all tabs.
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect(await dirty.page.getByLabel('Title', { exact: true }).inputValue()).toBe('Half a product')
    await dirty.page.getByRole('button', { name: 'Save', exact: true }).click()
    await dirty.page.getByRole('heading', { name: 'Half a product' }).waitFor()
    await context.close()
  })

  test('the list of orders needs few requests and keeps its state in the URL', async () => {
    const { page, wrong, context } = await console.signIn()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.addInitScript(`localStorage.setItem('console.look', '{"known":true}')`)
    await page.goto(`${console.home}/orders`)
    await rows(page).first().waitFor()
    expect(asked.filter((url) => !url.includes('/views')).length).toBeLessThanOrEqual(MAX_REQUESTS)
    const all = await total(page)
    await expect.poll(() => rows(page).count()).toBe(50)

    await page.getByRole('link', { name: 'Unfulfilled' }).click()
    await expect.poll(() => page.url()).toContain('delivery_status=unfulfilled')
    await expect.poll(() => total(page)).toBeLessThan(all)
    const unfulfilled = await total(page)
    // Nobody has ordered what was abandoned, so nothing of it is to be shipped.
    expect(page.url()).toContain('exclude_status=abandoned')
    await page.locator('table:not([aria-busy])').waitFor()
    expect(await page.locator('tbody').innerText()).not.toContain('Abandoned')
    await page.getByLabel('Payment', { exact: true }).selectOption('paid')
    await expect.poll(() => total(page)).toBeLessThan(unfulfilled)
    await page.getByRole('button', { name: 'Sort by Total' }).click()
    await expect.poll(() => page.url()).toContain('order_by=total')
    const sorted = page.url()
    const [first = ''] = await refs(page)
    await page.getByRole('link', { name: first, exact: true }).click()
    await page.getByRole('heading', { name: first }).waitFor()
    await page.goBack()
    await rows(page).first().waitFor()
    expect(page.url()).toBe(sorted)
    expect((await refs(page))[0]).toBe(first)
    await page.goBack()
    await expect.poll(() => page.url()).not.toContain('order_by')
    await page.goForward()
    await expect.poll(() => page.url()).toBe(sorted)

    // A saved view.
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByLabel('Name of the view').fill('Paid, dearest first')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('link', { name: 'Paid, dearest first' }).waitFor()
    await page.getByRole('link', { name: 'All', exact: true }).click()
    await page.getByRole('link', { name: 'Paid, dearest first' }).click()
    await expect.poll(async () => (await refs(page))[0]).toBe(first)

    // The next page by cursor, back to the same rows, with the selection kept.
    await page.getByRole('link', { name: 'All', exact: true }).click()
    await expect.poll(() => total(page)).toBe(all)
    const before = await refs(page)
    await page.getByRole('checkbox', { name: `Select ${before[0]}` }).check()
    await page.getByRole('link', { name: 'Next page' }).click()
    await expect.poll(async () => (await refs(page))[0]).not.toBe(before[0])
    expect(await refs(page)).not.toEqual(expect.arrayContaining([before[0]]))
    await page.getByText('1 selected').waitFor()
    await page.getByRole('link', { name: 'Previous page' }).click()
    await expect.poll(() => refs(page)).toEqual(before)
    expect(await page.getByRole('checkbox', { name: `Select ${before[0]}` }).isChecked()).toBe(true)

    // Keyboard: search, rows, palette.
    await page.keyboard.press('/')
    await page.keyboard.type(before[3] ?? '')
    await expect.poll(() => refs(page)).toEqual([before[3]])
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find anything' }).fill(before[5] ?? '')
    await page.getByRole('option', { name: before[5] ?? '' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: before[5] ?? '' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await rows(page).first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: before[0] ?? '' }).waitFor()

    // A menu by keyboard: arrow keys, letters, and Escape, which returns the focus.
    const focused = () => page.evaluate<string>('document.activeElement.innerText || document.activeElement.ariaLabel')
    await page.locator('header').getByRole('button', { name: 'More actions' }).first().focus()
    await page.keyboard.press('ArrowDown')
    const items = await page.getByRole('menuitem').allInnerTexts()
    expect(await focused()).toBe(items[0])
    await page.keyboard.press('ArrowUp')
    expect(await focused()).toBe(items.at(-1))
    await page.keyboard.press('r')
    expect(await focused()).toBe(items.find((item) => item.startsWith('R')))
    await page.keyboard.press('Escape')
    expect(await page.getByRole('menu').count()).toBe(0)
    expect(await focused()).toBe('More actions')
    await page.keyboard.press('Enter')
    await page.getByRole('menu').waitFor()
    await page.mouse.click(700, 20)
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await page.locator('header').getByRole('button', { name: 'More actions' }).first().click()
    await page.getByRole('menu').waitFor()
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    expect(wrong).toEqual([])
    await context.close()
  })

  test('an order is shipped, split, returned, refunded, cancelled and archived, and its history says by whom', async () => {
    const { page, wrong, context, name, console: own } = await console.signIn()
    await page.goto(
      `${console.home}/orders?delivery_status=unfulfilled&status=paid&is_cancelled=false&order_by=quantity`,
    )
    await rows(page).first().waitFor()
    await page.locator('tbody a').first().click()
    const section = (number: number) =>
      page.locator('section', { has: page.getByRole('heading', { name: `Delivery ${number}` }) })
    await section(1).getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Split delivery' }).click()
    await page.getByRole('dialog').getByRole('spinbutton').first().fill('1')
    await page.getByRole('dialog').getByRole('button', { name: 'Split delivery' }).click()
    await section(2).waitFor()

    await section(1).getByRole('button', { name: 'Ship' }).click()
    await page.getByLabel('Tracking number').fill('TN 123')
    // Somebody else changes the order meanwhile: the page reports it and keeps the input.
    const order = page.url().split('/').at(-1) as string
    const getToken = async () => (await own.post(`/stores/${console.store}/token`)).body.data
    const client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
    for (const is_archived of [true, false]) await client.orders.update(order, { is_archived })
    await page.getByRole('dialog').getByRole('button', { name: 'Ship' }).click()
    await page.getByRole('alert').getByText('Somebody else has changed this order meanwhile.').waitFor()
    expect(await page.getByLabel('Tracking number').inputValue()).toBe('TN 123')
    await page.getByRole('dialog').getByRole('button', { name: 'Ship' }).click()
    await page.getByRole('dialog').locator('[aria-invalid]').waitFor()
    await page.getByLabel('Carrier').selectOption({ index: 1 })
    await page.getByRole('dialog').getByRole('button', { name: 'Ship' }).click()
    await section(1).getByText('Shipped').waitFor()
    await section(1).getByText('TN 123').waitFor()
    await page.getByText(`Console · ${name}`).first().waitFor()

    const act = async (item: string) => {
      await page.locator('header').getByRole('button', { name: 'More actions' }).first().click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await act('Return items')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('spinbutton').first().fill('1')
    await dialog.getByText('1 item will be returned and put back into stock.').waitFor()
    expect(Number(await dialog.getByLabel(/Amount/).inputValue())).toBeGreaterThan(0)
    await dialog.getByRole('button', { name: 'Return items' }).click()
    await page.getByRole('heading', { name: 'Returns' }).waitFor()
    await page.getByRole('button', { name: 'Mark as refunded' }).click()
    await page.getByText('Refund: Refunded').waitFor()

    await act('Archive')
    // The refund can still be undone, too.
    const archived = page.locator('[role=status] > div', { hasText: 'Archived' })
    await archived.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Unarchived', { exact: true }).waitFor()
    // Shown once the page has the new version, which the next change must send.
    await page.getByText('Order unarchived').waitFor()
    await act('Cancel order')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel order' }).click()
    await page.getByText('Order cancelled').first().waitFor()
    await act('Undo cancellation')
    await page.getByText('Cancellation undone').first().waitFor()
    expect(wrong.filter((text) => !/status of 4(12|22)/.test(text))).toEqual([])
    await context.close()
  })

  test('of a split order every parcel is shipped or some are, and packing lists leave out what was sent', async () => {
    const { page, wrong, context } = await console.signIn()
    await page.goto(
      `${console.home}/orders?delivery_status=unfulfilled&exclude_delivery_status=shipped&status=paid&is_cancelled=false&order_by=quantity`,
    )
    await rows(page).first().waitFor()
    await page.locator('tbody a').nth(3).click()
    await page.locator('ol li').first().waitFor()
    const section = (number: number) =>
      page.locator('section', { has: page.getByRole('heading', { name: `Delivery ${number}` }) })
    const ref = await page.locator('h1').innerText()
    const address = page.url()
    for (const number of [2, 3]) {
      await section(1).getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Split delivery' }).click()
      await page.getByRole('dialog').getByRole('spinbutton').first().fill('1')
      await page.getByRole('dialog').getByRole('button', { name: 'Split delivery' }).click()
      await section(number).waitFor()
    }
    // All but the one that is left out.
    await page.getByRole('button', { name: 'Ship 3 parcels' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Carrier for all').selectOption({ index: 1 })
    await dialog.getByRole('checkbox', { name: 'Delivery 2' }).uncheck()
    for (const number of [1, 3])
      await dialog.getByLabel(`Tracking number ${ref} Delivery ${number}`).fill(`PART-${number}`)
    await dialog.getByRole('button', { name: 'Ship 2 parcels' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.locator('header').getByText('Partially shipped').waitFor()
    await section(1).getByText('PART-1').waitFor()
    await section(2).getByText('Unfulfilled').waitFor()
    await section(3).getByText('PART-3').waitFor()

    await page.getByRole('button', { name: 'Packing list' }).click()
    await page.getByRole('heading', { name: `${ref} · Delivery 2` }).waitFor()
    expect(await page.locator('article').count()).toBe(1)
    expect(await page.locator('article tbody tr').count()).toBe(1)

    // The list says both, and both filters find it. Cancelled is no state of payment.
    for (const status of ['unfulfilled', 'shipped']) {
      await page.goto(`${console.home}/orders?search=${ref}&delivery_status=${status}`)
      await page.locator('tbody tr', { hasText: 'Partially shipped' }).waitFor()
      expect(await rows(page).first().innerText()).toContain('Unfulfilled · Shipped')
    }
    await page.goto(address)
    await page.locator('header').getByRole('button', { name: 'More actions' }).first().click()
    await page.getByRole('menuitem', { name: 'Cancel order' }).click()
    await dialog.getByRole('button', { name: 'Cancel order' }).click()
    await page.locator('header').getByText('Cancelled', { exact: true }).first().waitFor()
    await page.locator('header').getByText('Paid', { exact: true }).first().waitFor()
    await page.goto(`${console.home}/orders?search=${ref}&status=paid&is_cancelled=true`)
    const row = page.locator('tbody tr')
    await row.getByText('Paid', { exact: true }).waitFor()
    await row.getByText('Cancelled', { exact: true }).waitFor()
    await page.goto(`${address.replace(/[^/]+$/, 'print?ids=')}${address.split('/').at(-1)}`)
    await page.getByText('Nothing left to pack').waitFor()
    expect(wrong).toEqual([])
    await context.close()
  })

  test('shift selects a range, marking as paid is undone, and a country has its French name', async () => {
    const { page, wrong, context } = await console.signIn({ language: 'fr' }, { width: 390, height: 844 })
    await page.goto(`${console.home}/orders?status=pending&is_cancelled=false`)
    await rows(page).first().waitFor()
    await page.locator('tbody input').nth(0).click()
    await page
      .locator('tbody input')
      .nth(2)
      .click({ modifiers: ['Shift'] })
    await page.getByText('3 lignes sélectionnées').waitFor()
    expect(await page.getByRole('option', { name: 'Paiement : tous' }).count()).toBe(1)
    await page.locator('tbody a').first().click()
    await page.locator('ol li').first().waitFor()
    expect(await tooWide(page)).toEqual([])
    await page.locator('address').getByText('Tunisie').waitFor()
    await page.locator('header').getByRole('button', { name: 'Autres actions' }).first().click()
    await page.getByRole('menuitem', { name: 'Marquer comme payée' }).click()
    await page.locator('header').getByText('Payée', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Annuler' }).click()
    await page.getByText('Marquée comme impayée').waitFor()
    await page.locator('header').getByText('Impayée', { exact: true }).first().waitFor()
    // A line of a return has room for its name on a phone.
    await page.locator('header').getByRole('button', { name: 'Autres actions' }).first().click()
    await page.getByRole('menuitem', { name: 'Retourner des articles' }).click()
    const line = page.getByRole('dialog').locator('li > div').first()
    await line.waitFor()
    expect((await line.boundingBox())?.width).toBeGreaterThan(200)
    expect(wrong).toEqual([])
    await context.close()
  })

  test('a refund that fails after its return is offered again, and the return is not repeated', async () => {
    const { page, context } = await console.signIn()
    const returns: string[] = []
    page.on('request', (request) => {
      if (/\/order\/[^/]+\/return$/.test(request.url()) && request.method() === 'POST') returns.push(request.url())
    })
    await page.goto(`${console.home}/orders?status=paid&delivery_status=delivered&is_cancelled=false`)
    await rows(page).first().waitFor()
    await page.locator('tbody a').first().click()
    const openReturn = async () => {
      await page.locator('header').getByRole('button', { name: 'More actions' }).first().click()
      await page.getByRole('menuitem', { name: 'Return items' }).click()
    }
    await openReturn()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('spinbutton').first().waitFor()
    for (const units of await dialog.getByRole('spinbutton').all())
      await units.fill((await units.getAttribute('max')) ?? '')
    await page.route('**/order/*/refund', (route) =>
      route.fulfill({ status: 503, json: { code: 'unavailable', message: 'away', errors: {} } }),
    )
    await dialog.getByRole('button', { name: 'Return items' }).click()
    await dialog.getByText('The return is recorded. The refund failed: try again.').waitFor()
    await page.unroute('**/order/*/refund')
    await dialog.getByRole('button', { name: 'Refund', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Returns' }).waitFor()
    await page.getByRole('button', { name: 'Mark as refunded' }).first().waitFor()
    expect(returns).toHaveLength(1)
    // Everything has come back: there is nothing to fill in.
    await openReturn()
    await dialog.getByText('Nothing is left: all items have been handled.').waitFor()
    expect(await dialog.locator('input, button[type=submit]').count()).toBe(0)
    await context.close()
  })

  test('many orders are shipped with a pasted column; what failed stays selected', async () => {
    const { page, wrong, context } = await console.signIn()
    await page.goto(`${console.home}/orders?delivery_status=unfulfilled&status=pending&is_cancelled=false`)
    await rows(page).first().waitFor()
    const shown = await refs(page)
    const { rows: whole } = await sql<{ ref: string }>`select o.ref from orders o
      where o.store_id = ${console.store} and o.ref = any(${shown}) and 1 =
        (select count(*) from delivery d where d.store_id = o.store_id and d.order_id = o.id)`.execute(console.db)
    const chosen = shown.filter((ref) => whole.some((order) => order.ref === ref)).slice(0, 4)
    for (const ref of chosen) await page.getByRole('checkbox', { name: `Select ${ref}` }).check()
    await page.getByRole('button', { name: 'Ship 4 orders' }).click()
    const dialog = page.getByRole('dialog')
    const numbers = chosen.map((_, index) => `PARCEL-${index}`)
    await dialog.getByLabel(`Tracking number ${chosen[0]}`).focus()
    await page.evaluate(pasting(numbers.join('\r\n')))
    for (const [index, ref] of chosen.entries())
      expect(await dialog.getByLabel(`Tracking number ${ref}`).inputValue()).toBe(numbers[index])
    await dialog.getByLabel('Carrier for all').selectOption({ index: 1 })
    await dialog.getByLabel(`Carrier ${chosen[3]}`, { exact: true }).selectOption('')
    await dialog.getByRole('button', { name: 'Ship 4 orders' }).click()
    await page.getByText('1 order failed and stays selected').waitFor()
    await dialog.getByLabel(`Carrier ${chosen[3]}`, { exact: true }).selectOption({ index: 1 })
    await dialog.getByRole('button', { name: 'Ship 1 order' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { rows: sent } = await sql<{ tracking_number: string }>`select d.tracking_number from delivery d
      join orders o on o.store_id = d.store_id and o.id = d.order_id
      where o.store_id = ${console.store} and o.ref = any(${chosen}) and d.status = 'shipped' order by 1`.execute(
      console.db,
    )
    expect(sent.map(({ tracking_number }) => tracking_number)).toEqual(numbers)

    const downloading = page.waitForEvent('download')
    const release = await holdRequest(page, '**/order/export?*')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    await page.getByRole('button', { name: /^Exporting… \d+ kB/ }).waitFor()
    release()
    expect((await downloading).suggestedFilename()).toMatch(/^orders-\d{4}-\d\d-\d\d\.csv$/)
    const still = (await refs(page)).slice(0, 2)
    for (const ref of still) await page.getByRole('checkbox', { name: `Select ${ref}` }).check()
    await page.getByRole('button', { name: 'Packing list' }).click()
    for (const ref of still) await page.getByRole('heading', { name: ref }).first().waitFor()
    expect(wrong.filter((text) => !/status of 422/.test(text))).toEqual([])
    await context.close()
  })

  test('when the service does not reply, the page says so and keeps its content', async () => {
    const { page, context } = await console.signIn()
    await page.goto(`${console.home}/orders`)
    await rows(page).first().waitFor()
    await page.route('**/api/apps/v1/order?*', (route) =>
      route.fulfill({ status: 503, json: { code: 'unavailable', message: 'away', errors: {} } }),
    )
    await page.getByRole('link', { name: 'Unpaid' }).click()
    await page.getByText('The service is not responding.').waitFor()
    await page.unroute('**/api/apps/v1/order?*')
    await expect.poll(() => page.getByText('The service is not responding.').count()).toBe(0)
    await context.close()
  })

  test('a page whose code does not arrive says so, and opens on the next try', async () => {
    const { page, context } = await console.signIn()
    await page.goto(`${console.home}/orders`)
    await rows(page).first().waitFor()
    await page.route('**/assets/CustomersPage-*.js', (route) => route.abort())
    await page.getByRole('link', { name: 'Customers' }).click()
    await page.getByText('This part of the console could not be loaded.').waitFor()
    await page.unroute('**/assets/CustomersPage-*.js')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Customers' }).waitFor()
    await rows(page).first().waitFor()
    await context.close()
  })

  test('Arabic runs from right to left and leaves no English word', async () => {
    const { page, wrong, context } = await console.signIn({ language: 'ar' })
    await page.goto(`${console.home}/orders`)
    await rows(page).first().waitFor()
    expect(await page.evaluate('[document.documentElement.dir, document.documentElement.lang]')).toEqual(['rtl', 'ar'])
    const box = async (selector: string) =>
      (await page.locator(selector).first().boundingBox()) as { x: number; width: number }
    const [side, main, tick, money] = [
      await box('nav'),
      await box('main'),
      await box('tbody td'),
      await box('tbody td:last-child'),
    ]
    expect(side.x).toBeGreaterThan(main.x)
    expect(tick.x).toBeGreaterThan(money.x)
    for (const link of await page.locator('tbody a > bdi').all()) expect(await link.getAttribute('dir')).toBe('ltr')
    const english = new Set(texts(allWords('en')).filter((text) => /[a-z]{3}/i.test(text)))
    const shown = () => page.evaluate<string[]>(SHOWN_TEXTS)
    const known = ['Console']
    expect((await shown()).filter((text) => english.has(text) && !known.includes(text))).toEqual([])
    await page.locator('tbody a').first().click()
    await page.locator('ol li').first().waitFor()
    expect((await shown()).filter((text) => english.has(text) && !known.includes(text))).toEqual([])
    const phone = page.locator('a[href^="tel:"] bdi')
    if (await phone.count()) expect(await phone.first().getAttribute('dir')).toBe('ltr')
    // Latin names are cut at their end, which is on the other side, and stand where the others do.
    await page.goto(`${console.home}/files?mime_type=image/*`)
    await page.locator('main li button > span').first().waitFor()
    const name = `((name) => ({
      direction: getComputedStyle(name).direction,
      offset: Math.round(name.parentElement.firstElementChild.getBoundingClientRect().right - name.getBoundingClientRect().right),
    }))(document.querySelector('main li button > span'))`
    expect(await page.evaluate(name)).toEqual({ direction: 'ltr', offset: 0 })
    expect(wrong).toEqual([])
    await context.close()
  })
})
