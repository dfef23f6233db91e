import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../tests/support/browser.ts'
import { type ConsoleBrowser, holdRequest, PASSWORD, startConsoleBrowser, total } from '../../tests/support/console.ts'
import { temporaryFolder } from '../../tests/support/server-process.ts'
import { picture } from '../../tests/support/uploads.ts'

const installed = hasBrowser('the pages of the console are not tested in a browser')

/** The last day of the demo store, which these tests take for today. */
const LAST_DAY = '2026-10-28T15:00:00Z'

const rows = (page: Page) => page.locator('tbody tr')
const toast = (page: Page, text: string) =>
  page.locator('[role=status]').getByText(text, { exact: true }).last().waitFor()

describe.skipIf(!installed)('the pages of the console in a browser', () => {
  let console: ConsoleBrowser
  let page: Page
  let wrong: string[]
  const open = (where: string) => page.goto(console.home + where)
  const dialog = () => page.getByRole('dialog')
  /** Another caller of the API, for concurrent changes. */
  const ask = async (method: string, path: string, data?: object) => {
    const origin = { origin: console.site }
    const token = await page.request.post(`${console.site}/console/api/stores/${console.store}/token`, {
      headers: origin,
    })
    const authorization = `Bearer ${(await token.json()).data.token}`
    const reply = await page.request.fetch(`${console.site}/api/apps/v1${path}`, {
      method,
      data,
      headers: { authorization },
    })
    expect(reply.status(), await reply.text()).toBe(200)
    return (await reply.json()).data
  }

  // All tests share one person and one tab, so each must leave the shop usable for the next.
  beforeAll(async () => {
    console = await startConsoleBrowser()
    const signedIn = await console.signIn()
    page = signedIn.page
    wrong = signedIn.wrong
  })

  test('a parcel is found by its tracking number and a product by its SKU, in the lists and with Ctrl-K', async () => {
    const { orders } = await ask('GET', '/order?delivery_status=shipped&page_size=200')
    type Sent = { ref: string; deliveries: { tracking_number: string | null }[] }
    const sent = (orders as Sent[]).find(({ deliveries }) => deliveries[0]?.tracking_number) as Sent
    const number = sent.deliveries[0]?.tracking_number as string
    const { products } = await ask('GET', '/product?page_size=200')
    type Sold = { title: string; default: { sku: string | null } }
    const sold = (products as Sold[]).find((product) => product.default.sku) as Sold
    for (const [path, text, name] of [
      ['/orders', number.toLowerCase(), sent.ref],
      ['/products', sold.default.sku as string, sold.title],
    ] as const) {
      await open(`${path}?search=${encodeURIComponent(text)}`)
      await expect.poll(() => rows(page).count()).toBe(1)
      await rows(page).getByRole('link', { name }).waitFor()
      expect(await total(page)).toBe(1)
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find anything' }).fill(text)
      await page.getByRole('option', { name }).waitFor()
      await page.keyboard.press('Escape')
    }
    // Most SKUs are in capitals, and few people type them so.
    await open('/products?search=tajin-z')
    await expect.poll(() => rows(page).count()).toBe(1)
    expect(wrong).toEqual([])
  })

  test('home: every number opens its list, with as many rows as it says', async () => {
    await page.clock.setFixedTime(new Date(LAST_DAY))
    await open('')
    const attention = page.locator('section', { has: page.getByRole('heading', { name: 'Needs attention' }) })
    await attention.getByRole('link').first().waitFor()
    expect(await attention.getByRole('link').count()).toBeGreaterThan(2)
    const names = ['Unpaid for 24 hours', 'Refunds to be made', 'Returns on their way']
    for (const name of names) {
      const link = attention.getByRole('link', { name })
      const count = Number((await link.locator('strong').innerText()).replace(',', ''))
      await link.click()
      await rows(page).first().waitFor()
      expect(await total(page), name).toBe(count)
      await page.goBack()
      await link.waitFor()
    }
    // Orders of today, and a carrier of the period.
    const today = page.getByRole('region', { name: 'Today' })
    const placed = Number(await today.getByRole('link', { name: 'Orders' }).first().locator('strong').innerText())
    expect(placed).toBeGreaterThan(0)
    await today.getByRole('link', { name: 'Orders' }).first().click()
    await rows(page).first().waitFor()
    expect(await total(page)).toBeGreaterThanOrEqual(placed)
    await page.goBack()
    await page.getByRole('link', { name: /DHL Express/ }).click()
    await rows(page).first().waitFor()
    expect(page.url()).toContain('carrier_id=')
    await page.goBack()

    const low = page.locator('section', { has: page.getByRole('heading', { name: 'Running low' }) })
    await low.getByText('No product runs out within two weeks.').waitFor()
    const period = 'from=2026-09-29&to=2026-10-28'
    const [next] = (await ask('GET', `/analytic/stock?${period}&cover=365&limit=1`)).low
    const { product } = await ask('GET', `/product/${next.product_id}`)
    const one = (_: unknown, n: number) => ({ id: product.variants[n].id, quantity: n === 0 ? 1 : 0 })
    const stock = product.variants.length > 0 ? { variants: product.variants.map(one) } : { default: { quantity: 1 } }
    await ask('POST', `/product/${product.id}/update`, stock)
    await page.reload()
    await low.getByRole('link', { name: new RegExp(`${product.title}.* days? left`) }).waitFor()

    // The chart has a table, and the period is in the URL.
    await page.getByRole('button', { name: '90 days' }).click()
    await expect.poll(() => page.url()).toContain('days=90')
    const chart = page.locator('figure', { has: page.getByRole('heading', { name: 'Orders per day' }) })
    await chart.getByRole('button', { name: 'Show as table' }).click()
    await expect.poll(() => chart.locator('tbody tr').count()).toBe(90)
    const perDay = await chart.locator('tbody td:nth-child(2)').allInnerTexts()
    const shown = await chart.locator('figcaption strong').innerText()
    expect(perDay.reduce((sum, text) => sum + Number(text), 0)).toBe(Number(shown.replace(',', '')))
    await page.clock.setSystemTime(new Date())
    expect(wrong).toEqual([])
  })

  test('reviews are published, hidden and deleted by keyboard, and the last action can be undone', async () => {
    const waiting = async () =>
      (
        await sql<{
          n: number
        }>`select count(*)::int as n from review where store_id = ${console.store} and status = 'pending'`.execute(
          console.db,
        )
      ).rows[0]?.n as number
    const before = await waiting()
    await open('/reviews')
    const current = page.locator('main li[data-current] strong bdi')
    await current.waitFor()
    const [first, second] = await page.locator('main li strong bdi').allInnerTexts()
    await page.keyboard.press('p')
    await toast(page, 'Review published')
    await expect.poll(() => current.innerText()).toBe(second)
    expect(await waiting()).toBe(before - 1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await toast(page, 'Undone')
    await expect.poll(waiting).toBe(before)
    await expect.poll(() => current.innerText()).toBe(first)
    await page.keyboard.press('j')
    await expect.poll(() => current.innerText()).toBe(second)
    await page.keyboard.press('h')
    await toast(page, 'Review hidden')
    await expect.poll(waiting).toBe(before - 1)
    const third = page.locator('main li strong bdi').nth(2)
    const next = await third.innerText()
    await page.keyboard.press('d')
    await expect.poll(() => current.innerText()).toBe(next)
    // A review that somebody else has handled meanwhile is reported and not changed.
    const id = (await page.locator('main li[data-current]').getAttribute('id'))?.replace('review-', '')
    await ask('PUT', `/review/${id}`, { status: 'hidden' })
    await page.keyboard.press('p')
    await toast(page, 'Somebody else has changed this meanwhile.')
    const { rows: left } = await sql`select status from review where id = ${id}`.execute(console.db)
    expect(left).toEqual([{ status: 'hidden' }])
    // After «g», a letter opens a page and does nothing to the review.
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
    // One is hidden, one is deleted at the latest when the page is left, and one has been handled elsewhere.
    await page.goto('about:blank')
    await expect.poll(waiting).toBe(before - 3)
    expect(wrong).toEqual([])
  })

  test('a customer is created, edited while somebody else changes it, found and erased', async () => {
    await open('/customers')
    await rows(page).first().waitFor()
    await page.getByRole('button', { name: 'New customer' }).click()
    await dialog().getByLabel('Name').fill('Zohra Test')
    await dialog().getByLabel('Email').fill('no address')
    await dialog().getByRole('button', { name: 'New customer' }).click()
    await dialog().getByText('Enter an email address').waitFor()
    expect(await dialog().getByLabel('Name').inputValue(), 'what was typed stays').toBe('Zohra Test')
    await dialog().getByLabel('Email').fill('zohra@shop.example')
    await dialog().getByLabel('Phone').fill('+216 20 765 432')
    await dialog().getByRole('button', { name: 'New customer' }).click()
    await page.getByRole('heading', { name: 'Zohra Test' }).waitFor()
    await page.getByText('No orders yet').waitFor()

    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog().getByLabel('City').fill('Sousse')
    await ask('PUT', page.url().replace(/.*\/customers/, '/customer'), { city: 'Gabes' })
    await dialog().getByRole('button', { name: 'Save' }).click()
    await dialog().getByText('Somebody else has changed this meanwhile.').waitFor()
    expect(await dialog().getByLabel('City').inputValue()).toBe('Sousse')
    await dialog().getByText('Newest version: Gabes').waitFor()
    await dialog().getByRole('button', { name: 'Save' }).click()
    await page.locator('address').getByText('Sousse').waitFor()

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find anything' }).fill('20765432')
    await page.getByRole('option', { name: 'Zohra Test' }).click()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete customer' }).click()
    await dialog()
      .getByLabel(/Also erase/)
      .check()
    await dialog().getByRole('button', { name: 'Delete customer' }).click()
    await toast(page, 'Customer deleted')
    await rows(page).first().waitFor()
    await page.getByRole('searchbox').fill('zohra@shop.example')
    await page.getByText('No customer matches').waitFor()
    expect(wrong.splice(0).filter((text) => !/status of (412|422)/.test(text))).toEqual([])
  })

  test('settings, carriers, domains and policies are changed', async () => {
    await open('/settings')
    await page.getByLabel('Phone').fill('+216 71 000 000')
    await page.getByRole('button', { name: 'Save' }).click()
    await toast(page, 'Saved')
    await page.reload()
    await expect.poll(() => page.getByLabel('Phone').inputValue()).toBe('+216 71 000 000')
    const section = async (name: string) =>
      page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name }).click()

    await section('Orders')
    const desk = async () => (await ask('GET', '/setting')).setting.order_desk
    const before = await desk()
    const atFirst = page.getByLabel('New orders that wait for a call')
    await atFirst.selectOption('some')
    await page.getByLabel('When returned items go back into stock').selectOption('true')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Choose at least one payment method.').waitFor()
    const method = page.getByRole('group', { name: 'Payment methods' }).getByRole('checkbox').first()
    await method.check()
    const parcels = page.getByLabel('Parcels it takes to judge a number')
    await parcels.fill('none')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => parcels.getAttribute('aria-invalid')).toBe('true')
    expect(await desk(), 'nothing is saved').toEqual(before)
    // Leaving asks.
    page.once('dialog', (asked) => void asked.dismiss())
    await section('Carriers')
    expect(await parcels.inputValue()).toBe('none')
    await parcels.fill('5')
    // A second tab has saved meanwhile: what both changed is shown in both versions, the rest follows.
    await ask('PUT', '/setting', { order_desk: { min_parcels: 7, max_quantity: 20 } })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Newest version: 7').waitFor()
    expect(await page.getByLabel('Items of a usual order, at most').inputValue()).toBe('20')
    expect(await method.isChecked()).toBe(true)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })
    expect(await desk()).toEqual({
      ...before,
      confirm: true,
      confirm_payment_methods: [expect.any(String)],
      restock_on_receipt: true,
      min_parcels: 5,
      max_quantity: 20,
    })
    await page.reload()
    await expect.poll(() => atFirst.inputValue()).toBe('some')
    await ask('PUT', '/setting', { order_desk: before })

    await section('Carriers')
    await page.getByRole('button', { name: 'New carrier' }).click()
    await dialog().getByLabel('Name').fill('Colis Express')
    await dialog().getByLabel('Code').fill('colis')
    await dialog().getByRole('button', { name: 'Add' }).click()
    await page.getByRole('button', { name: 'Edit: Colis Express' }).click()
    await dialog().getByLabel('Status').selectOption('inactive')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await page.locator('li', { hasText: 'Colis Express' }).getByText('Inactive').waitFor()
    // Somebody else is quicker: both versions are shown, and saving again keeps the chosen one.
    await page.getByRole('button', { name: 'Edit: Colis Express' }).click()
    await dialog().getByLabel('Code').fill('mine')
    const carrier = (await ask('GET', '/shipping-carrier?status=all')).carriers.find(({ name }: { name: string }) =>
      /^Colis/.test(name),
    )
    await ask('PUT', `/shipping-carrier/${carrier.id}`, {
      code: 'theirs',
      tracking_url: 'https://theirs.example/{tracking_number}',
    })
    await dialog().getByRole('button', { name: 'Save' }).click()
    await dialog().getByText('Newest version: theirs').waitFor()
    expect(await dialog().getByLabel('Code').inputValue()).toBe('mine')
    expect(await dialog().getByLabel('Tracking').inputValue(), 'not touched').toContain('https://theirs.example/')
    await dialog().getByRole('button', { name: 'Use it' }).click()
    expect(await dialog().getByLabel('Code').inputValue()).toBe('theirs')
    await dialog().getByLabel('Code').fill('mine')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await dialog().waitFor({ state: 'detached' })
    expect(await ask('GET', `/shipping-carrier/${carrier.id}`)).toMatchObject({ carrier: { code: 'mine' } })
    await page.getByRole('button', { name: 'Delete: Colis Express' }).click()
    await toast(page, 'Deleted: Colis Express. Deliveries that were sent with it keep its name.')
    await expect.poll(() => page.locator('main li', { hasText: 'Colis Express' }).count()).toBe(0)

    await section('Domains')
    await page.getByRole('button', { name: 'New domain' }).click()
    await dialog().getByLabel('Host name').fill('soldes.example')
    await dialog().getByRole('button', { name: 'Add' }).click()
    await page.getByRole('button', { name: 'Delete: soldes.example' }).click()
    await dialog().getByRole('button', { name: 'Delete' }).click()
    await expect.poll(() => page.getByText('soldes.example').count()).toBe(0)

    await section('Policies')
    await page.getByRole('button', { name: 'New policy' }).click()
    await dialog().getByLabel('Title').fill('Gift cards')
    await dialog().getByLabel('Text').fill('They never expire.')
    await dialog().getByRole('button', { name: 'Add' }).click()
    await page.locator('li', { hasText: 'Gift cards' }).getByText('Draft').waitFor()
    await page.getByRole('button', { name: 'Edit: Gift cards' }).click()
    await dialog().getByLabel('Text').fill('They expire after a year.')
    const policy = (await ask('GET', '/policy')).policies.find(({ title }: { title: string }) => title === 'Gift cards')
    await ask('PUT', `/policy/${policy.id}`, { content: 'They expire after two years.' })
    await dialog().getByRole('button', { name: 'Save' }).click()
    await dialog().getByText('Newest version: They expire after two years.').waitFor()
    await dialog().getByRole('button', { name: 'Save' }).click()
    await dialog().waitFor({ state: 'detached' })
    expect((await ask('GET', `/policy/${policy.id}`)).policy.content).toBe('They expire after a year.')

    await section('Payment')
    await page
      .getByRole('button', { name: /^Edit: / })
      .first()
      .click()
    await dialog().getByLabel('Name').fill('Carte')
    await dialog().getByLabel('Status').selectOption('inactive')
    await dialog().getByLabel('Kinds of payment').fill('card, wallet')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await dialog().waitFor({ state: 'detached' })
    const { payment_methods } = await ask('GET', '/payment-method?page_size=100')
    expect(payment_methods.find(({ name }: { name: string }) => name === 'Carte')).toMatchObject({
      status: 'inactive',
      payment_types: ['card', 'wallet'],
    })
    expect(wrong.splice(0).filter((text) => !/status of (412|422)/.test(text))).toEqual([])
  })

  test('a landing page is created, published and deleted', async () => {
    await open('/landing-pages/new')
    await page.getByLabel('Title').fill('Lanterns of winter')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('must').first().waitFor()
    await page.getByRole('button', { name: 'Choose a product' }).click()
    await dialog().locator('li button').first().click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Lanterns of winter' }).waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Published since').waitFor()
    await page.getByLabel('Title').fill('Lanterns of spring')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Lanterns of spring' }).waitFor()

    // Its picture is chosen among those of products, or uploaded, which makes it public.
    const shown = async () =>
      (await ask('GET', `/landing-page/${page.url().split('/').at(-1)}`)).landing_page.screenshot_url
    const choose = () => page.getByRole('button', { name: 'Choose a picture' }).click()
    const save = async () => {
      await page.getByRole('button', { name: 'Save' }).click()
      // «Save» has another name while it is saved.
      await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })
      return shown()
    }
    // What cannot be read is said in the dialog, and tried again there.
    await page.route(/\/apps\/v1\/file\?/, (route) =>
      route.fulfill({ status: 422, json: { code: 'validation_failed', message: 'No.', errors: {} } }),
    )
    await choose()
    await dialog().getByRole('button', { name: 'Try again' }).waitFor()
    await page.unroute(/\/apps\/v1\/file\?/)
    await dialog().getByRole('button', { name: 'Try again' }).click()
    expect(wrong.splice(0).filter((text) => !/status of 422/.test(text))).toEqual([])
    await dialog().locator('li button').first().click()
    expect((await page.request.get(await save())).headers()['content-type']).toMatch(/^image/)
    const file = path.join(await temporaryFolder(), 'winter.png')
    await writeFile(file, await picture())
    await choose()
    await page.locator('input[type=file]').setInputFiles(file)
    await dialog().waitFor({ state: 'detached' })
    expect((await page.request.get(await save())).headers()['content-type']).toBe('image/png')
    await page.getByRole('button', { name: 'No picture' }).click()
    expect(await save()).toBeNull()

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete landing page' }).click()
    await page
      .locator('[role=status]')
      .getByText(/^Landing page deleted: Lanterns of spring/)
      .waitFor()
    await rows(page).first().waitFor()
    expect(await page.getByRole('link', { name: 'Lanterns of spring' }).count()).toBe(0)
    // Its picture is unused once it is deleted, at the latest when the page is left.
    await page.goto('about:blank')
    const pages = async () => {
      const { landingPages } = await ask('GET', '/landing-page?page_size=200')
      return landingPages.map(({ title }: { title: string }) => title)
    }
    await expect.poll(pages).not.toContain('Lanterns of spring')
    for (const { id } of (await ask('GET', '/file?linked=false')).files) await ask('POST', `/file/${id}`)
    expect(wrong.splice(0).filter((text) => !/status of 422/.test(text))).toEqual([])
  })

  test('a file is uploaded, described, found unused and deleted', async () => {
    const file = path.join(await temporaryFolder(), 'spare.png')
    await writeFile(file, await picture())
    await open('/files')
    const release = await holdRequest(page, '**/api/apps/v1/file')
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByRole('progressbar', { name: 'spare.png' }).waitFor()
    release()
    await toast(page, '1 file uploaded')
    await page.getByRole('progressbar').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Unused' }).click()
    await page.getByRole('button', { name: /spare\.png/ }).click()
    await dialog().getByText('Nothing uses this file.').waitFor()
    await dialog().getByLabel('Alternative text').fill('A blue square')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await toast(page, 'Saved')
    await dialog().getByRole('button', { name: 'Delete file' }).click()
    await toast(page, 'File deleted: spare.png')
    await page.getByText('No file matches').waitFor()
    // A file in use lists what uses it, and can be unlinked.
    await page.getByRole('link', { name: 'Pictures' }).click()
    await page.locator('main li button').first().click()
    await dialog()
      .getByRole('button', { name: /^Remove from here/ })
      .first()
      .waitFor()
    expect(wrong).toEqual([])
  })

  test('a member is invited, changed and removed, after the password is confirmed', async () => {
    await sql`update session set confirmed_at = now() - interval '16 minutes'`.execute(console.db)
    await open('/people')
    await page.getByRole('button', { name: 'Invite' }).click()
    await dialog().getByLabel('Email').fill('bilel@shop.example')
    await dialog().getByRole('button', { name: 'View only' }).click()
    await dialog().getByText('Seeing customers includes the whole latest order of each.').waitFor()
    await dialog().getByRole('button', { name: 'Invite' }).click()
    // The first field has the focus, and Enter sends.
    await page.getByRole('dialog', { name: 'Confirm your password' }).waitFor()
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    const link = await page.getByRole('textbox', { name: 'Link' }).inputValue()
    expect(link).toMatch(/\/console\/welcome#[\w-]{43}$/)
    await dialog().getByRole('button', { name: 'Close' }).last().click()
    const person = page.locator('li', { hasText: 'bilel@shop.example' })
    await person.getByText('Invited').waitFor()
    await page.getByRole('button', { name: 'More actions: bilel@shop.example' }).click()
    await page.getByRole('menuitem', { name: 'Change role' }).click()
    await dialog().getByLabel('Role').selectOption('owner')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await person.getByText('All permissions').waitFor()
    // Somebody else opens the link: first without an account, then signed in.
    const guest = await console.browser.newContext({ locale: 'en' })
    const tab = await console.newTab(guest, /status of 401/)
    await tab.page.goto(`${console.site}/console/welcome${new URL(link).hash}`)
    await tab.page.getByText(/You are invited to .* as an owner/).waitFor()
    expect(await tab.page.getByLabel('Email').inputValue()).toBe('bilel@shop.example')
    await tab.page.getByLabel('Name').fill('Bilel')
    await tab.page.getByLabel('Password').fill(PASSWORD)
    await tab.page.getByRole('button', { name: 'Open the console' }).click()
    await tab.page.waitForURL(/\/console\/s\//)
    await open('/people')
    await page.getByRole('button', { name: 'Invite' }).click()
    await dialog().getByLabel('Email').fill('second@shop.example')
    await dialog().getByLabel('Role').selectOption('owner')
    await dialog().getByRole('button', { name: 'Invite' }).click()
    const second = await page.getByRole('textbox', { name: 'Link' }).inputValue()
    await dialog().getByRole('button', { name: 'Close' }).last().click()
    await tab.page.goto('about:blank')
    await tab.page.goto(`${console.site}/console/welcome${new URL(second).hash}`)
    await tab.page.getByText('You are signed in as bilel@shop.example').waitFor()
    await tab.page.getByRole('button', { name: 'Accept the invitation' }).click()
    await tab.page.getByText('You have this access already').waitFor()
    await tab.page.getByRole('button', { name: 'Use another account' }).click()
    await tab.page.getByLabel('Password').waitFor()
    expect(tab.wrong.filter((text) => !/status of 403/.test(text))).toEqual([])
    await guest.close()
    await page.getByRole('button', { name: 'More actions: second@shop.example' }).click()
    await page.getByRole('menuitem', { name: 'Withdraw invitation' }).click()
    await dialog().getByRole('button', { name: 'Withdraw invitation' }).click()
    await page.locator('li', { hasText: 'second@shop.example' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'More actions: bilel@shop.example' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await dialog().getByRole('button', { name: 'Remove' }).click()
    // The last owner cannot be removed, and the dialog says so.
    await dialog()
      .getByText(/last owner/)
      .waitFor()
    expect(wrong.splice(0).filter((text) => !/status of (403|422)/.test(text))).toEqual([])
  })

  test('a role is made, given, changed by two people at once and deleted, with the keyboard alone', async () => {
    await open('/people')
    const menu = async (name: string, item: string) => {
      await page.getByRole('button', { name: `More actions: ${name}` }).press('Enter')
      await page.getByRole('menuitem', { name: item }).press('Enter')
    }
    const send = (name: string) => dialog().getByRole('button', { name }).last().press('Enter')
    await page.getByText('There are no roles yet').waitFor()
    await page.getByRole('button', { name: 'New role' }).press('Enter')
    // What is missing is said at the fields, and the first of them has the focus.
    await send('New role')
    await page.locator('dialog :focus[aria-invalid=true]').waitFor()
    await page.keyboard.type('Packer')
    await dialog().getByText('Fill this in.').waitFor()
    await dialog().getByLabel('Orders: See').press('Space')
    await send('New role')
    await toast(page, 'Role created')
    await dialog().waitFor({ state: 'detached' })
    await page.getByText('Orders: See').waitFor()
    await page.getByRole('button', { name: 'Invite' }).press('Enter')
    await dialog().getByLabel('Email').fill('karim@shop.example')
    await dialog().getByLabel('Role').selectOption('Packer')
    await dialog().getByText('May do what the role says, now and after it changes:').waitFor()
    await send('Invite')
    await page.getByRole('textbox', { name: 'Link' }).waitFor()
    await send('Close')
    await dialog().waitFor({ state: 'detached' })
    await page.locator('li', { hasText: 'karim@shop.example' }).getByText('Packer').waitFor()

    await menu('Packer', 'Edit role')
    await dialog().getByText('1 person has this role.').waitFor()
    await dialog().getByLabel('Orders: Change').press('Space')
    // Somebody else saves first: both versions are shown, and nothing is lost.
    await sql`update staff_role set name = 'Packers', permissions = '{customer:view}', version = version + 1
      where store_id = ${console.store}`.execute(console.db)
    await send('Save')
    await dialog().locator('bdi', { hasText: 'Customers: See' }).waitFor()
    expect(await dialog().getByLabel('Name of the role').inputValue()).toBe('Packers')
    expect(await dialog().getByLabel('Orders: Change').isChecked()).toBe(true)
    await send('Save')
    await toast(page, 'Role changed')
    await page.getByText('Orders: See, Change').waitFor()

    await menu('Packers', 'Delete role')
    await dialog().getByText('1 person has it.').waitFor()
    await dialog().getByLabel('What happens to them').selectOption('They keep the same permissions, without a role')
    // The focus was on «Cancel».
    await send('Delete role')
    await page.getByText('There are no roles yet').waitFor()
    await page.locator('li', { hasText: 'karim@shop.example' }).getByText('2 permissions').waitFor()
    expect(wrong.splice(0).filter((text) => !/status of (412|422)/.test(text))).toEqual([])
  })
})
