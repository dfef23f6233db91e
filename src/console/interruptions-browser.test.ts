import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../tests/support/browser.ts'
import { type ConsoleBrowser, PASSWORD, startConsoleBrowser } from '../../tests/support/console.ts'

const installed = hasBrowser('restarts of the server and second tabs are not tested in a browser')

const EXPIRED = { status: 401, json: { code: 'token_expired', message: 'Expired.', errors: {} } }

describe.skipIf(!installed)('work in the console that is interrupted', () => {
  let console: ConsoleBrowser
  let person: Awaited<ReturnType<ConsoleBrowser['signIn']>>
  let tabs: [Page, Page]
  const wrong: (() => string[])[] = []
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
  const dialog = (page: Page) => page.getByRole('dialog')
  const toast = (page: Page, text: string) =>
    page.locator('[role=status]').getByText(text, { exact: true }).last().waitFor()

  beforeAll(async () => {
    console = await startConsoleBrowser()
    person = await console.signIn()
    const second = await console.newTab(person.context)
    tabs = [person.page, second.page]
    wrong.push(
      () => person.wrong.splice(0),
      () => second.wrong.splice(0),
    )
  })

  afterEach(() => {
    // The browser tells of each request without an answer, too.
    const faults = wrong.flatMap((taken) => taken())
    expect(faults.filter((text) => !/status of (401|412|503)|ERR_/.test(text))).toEqual([])
  })

  test('stock: a difference outlasts a restart, two tabs add up, and a new sign-in adds once', async () => {
    const { rows: found } = await sql<{ id: string; sku: string; quantity: number }>`
      select v.id, v.sku, v.quantity from variant v
      join product p on p.store_id = v.store_id and p.id = v.product_id
      where v.store_id = ${console.store} and p.stock_tracked and v.quantity > 5 and v.sku is not null
      order by v.sku limit 1`.execute(console.db)
    const { id, sku, quantity } = found[0] as (typeof found)[number]
    const stored = async () => {
      const { rows } = await sql<{ quantity: number; deltas: number[]; reasons: (string | null)[] }>`
        select v.quantity, array_agg(c.delta::int order by c.id) as deltas, array_agg(c.reason order by c.id) as reasons
        from variant v left join stock_change c on c.store_id = v.store_id and c.variant_id = v.id
        where v.store_id = ${console.store} and v.id = ${id} group by v.quantity`.execute(console.db)
      return rows[0]
    }
    const level = (page: Page) => page.locator('tbody tr', { has: page.getByText(sku, { exact: true }) })
    const type = (page: Page, units: string) => level(page).getByRole('textbox').fill(units)
    for (const page of tabs) {
      await page.goto(`${console.home}/inventory?search=${encodeURIComponent(sku)}`)
      await level(page).waitFor()
    }
    const [one, two] = tabs
    await type(one, '5')
    await one.getByLabel('Reason').fill('Delivered')
    await console.restart(async () => {
      await press(one, 'Change 1 variant')
      await one.getByText('No answer came from the service').waitFor()
    })
    expect(await level(one).getByRole('textbox').inputValue()).toBe('5')
    await press(one, 'Change 1 variant')
    await toast(one, '1 variant changed')
    expect(await stored()).toEqual({ quantity: quantity + 5, deltas: [5], reasons: ['Delivered'] })

    await type(one, '-1')
    await type(two, '-2')
    await Promise.all(tabs.map((page) => press(page, 'Change 1 variant')))
    await Promise.all(tabs.map((page) => expect.poll(() => level(page).getByRole('textbox').inputValue()).toBe('')))
    expect(await stored()).toMatchObject({ quantity: quantity + 2 })

    await type(two, '1')
    await person.context.clearCookies()
    await two.route('**/apps/v1/stock*', (route) => route.fulfill(EXPIRED), { times: 1 })
    await press(two, 'Change 1 variant')
    await dialog(two).getByLabel('Password').fill(PASSWORD)
    await two.keyboard.press('Enter')
    await expect.poll(() => level(two).getByRole('textbox').inputValue()).toBe('')
    expect(await stored()).toMatchObject({ quantity: quantity + 3 })
    await level(two)
      .getByRole('button', { name: /^History of/ })
      .click()
    await expect.poll(() => dialog(two).locator('tbody tr').count()).toBe(5)
    expect(await dialog(two).locator('tbody tr').first().innerText()).toContain(`Console · ${person.name}`)
    await two.keyboard.press('Escape')
  })

  test('a bundle and a landing page: what is typed outlasts a restart, and another tab gets no second one', async () => {
    const [one, two] = tabs
    const count = async (table: 'bundle' | 'landing_page', name: string) => {
      const column = table === 'bundle' ? 'name' : 'title'
      const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}
        where store_id = ${console.store} and ${sql.ref(column)} = ${name}`.execute(console.db)
      return rows[0]?.n
    }
    await one.goto(`${console.home}/bundles`)
    await one.locator('tbody a').first().click()
    await dialog(one).getByLabel('Name', { exact: true }).fill('After the restart')
    await two.goto(`${console.home}/landing-pages`)
    await two.locator('tbody a').first().click()
    await two.getByLabel('Title', { exact: true }).fill('After the restart')
    await console.restart(async () => {
      await press(one, 'Save')
      await dialog(one).getByText('No answer came from the service').waitFor()
      await press(two, 'Save')
      await two.getByText('No answer came from the service').first().waitFor()
    })
    expect(await dialog(one).getByLabel('Name', { exact: true }).inputValue()).toBe('After the restart')
    await press(one, 'Save')
    await toast(one, 'Bundle saved')
    await press(two, 'Save')
    await expect.poll(() => count('landing_page', 'After the restart')).toBe(1)
    expect(await count('bundle', 'After the restart')).toBe(1)

    // The other tab has the older version: it shows both before it writes.
    for (const page of tabs) {
      await page.goto(`${console.home}/bundles`)
      await page.getByRole('link', { name: 'After the restart' }).click()
      await dialog(page).getByLabel('Name', { exact: true }).waitFor()
    }
    await dialog(one).getByLabel('Name', { exact: true }).fill('Of the first tab')
    await press(one, 'Save')
    await toast(one, 'Bundle saved')
    await dialog(two).getByLabel('Name', { exact: true }).fill('Of the second tab')
    await press(two, 'Save')
    await dialog(two)
      .getByText(/Newest version/)
      .waitFor()
    expect(await count('bundle', 'Of the first tab')).toBe(1)
    await press(two, 'Save')
    await toast(two, 'Bundle saved')
    expect(await count('bundle', 'Of the second tab')).toBe(1)
  })

  test('abandoned orders: dismissed and made an order once, through a restart, a lost answer and a new sign-in', async () => {
    const [one, two] = tabs
    const { rows: found } = await sql<{ id: string; name: string }>`
      select id, customer_first_name as name from orders
      where store_id = ${console.store} and status = 'abandoned' and not is_archived and customer_first_name <> ''
      order by created_at desc limit 20`.execute(console.db)
    const first = found[0] as (typeof found)[number]
    const second = found.find(({ name }) => name !== first.name) as typeof first
    const stateOf = async (id: string) =>
      (
        await sql`select status, is_archived from orders where store_id = ${console.store} and id = ${id}`.execute(
          console.db,
        )
      ).rows[0]
    const choose = (page: Page, { name }: { name: string }) =>
      page.locator('tbody tr').filter({ hasText: name }).first().getByRole('checkbox').check()
    for (const page of tabs) {
      await page.goto(`${console.home}/abandoned`)
      await page.locator('tbody a').first().waitFor()
    }
    await choose(one, first)
    const again = one.getByRole('status').getByRole('button', { name: 'Try again' })
    await console.restart(async () => {
      await press(one, 'Dismiss')
      await again.waitFor()
    })
    await again.click()
    await toast(one, 'Dismissed')
    expect(await stateOf(first.id)).toEqual({ status: 'abandoned', is_archived: true })
    await press(one, 'Undo')
    await toast(one, 'Back in the list')

    // All that match, in one go, and back.
    const waiting = async () => {
      const { rows } = await sql<{ n: number }>`select count(*)::int as n from orders
        where store_id = ${console.store} and status = 'abandoned' and not is_archived`.execute(console.db)
      return rows[0]?.n as number
    }
    const all = await waiting()
    await choose(two, second)
    await press(two, 'Change…')
    await dialog(two).getByLabel('Which orders').selectOption('all')
    await dialog(two)
      .getByRole('button', { name: `Change ${all} orders` })
      .click()
    await toast(two, `${all} orders changed`)
    expect(await waiting()).toBe(0)
    await press(two, 'Undo')
    await toast(two, `${all} orders are as before`)
    expect(await waiting()).toBe(all)

    // The answer to the conversion is lost: trying again says that it is done, and takes no second unit.
    const levels = () =>
      sql<{ expected: number; quantity: number }>`
        select v.quantity, case when p.stock_tracked then 100 - sum(l.quantity)::int else 100 end as expected
        from order_line l join variant v on v.store_id = l.store_id and v.id = l.variant_id
        join product p on p.store_id = v.store_id and p.id = v.product_id
        where l.store_id = ${console.store} and l.order_id = ${first.id}
        group by v.id, v.quantity, p.stock_tracked`.execute(console.db)
    await sql`update variant set quantity = 100 where store_id = ${console.store} and id in (
      select variant_id from order_line where store_id = ${console.store} and order_id = ${first.id})`.execute(
      console.db,
    )
    await one.reload()
    await choose(one, first)
    await press(one, 'Make it an order')
    await one.route(`**/apps/v1/order/${first.id}`, async (route) => {
      if (route.request().method() === 'GET') return route.continue()
      await route.fetch()
      await route.abort('connectionreset')
    })
    const act = dialog(one).getByRole('button', { name: 'Make it an order' })
    await act.click()
    await dialog(one).getByText('No answer came from the service').waitFor()
    await one.unroute(`**/apps/v1/order/${first.id}`)
    await act.click()
    await toast(one, 'Now an order')
    expect(await stateOf(first.id)).toEqual({ status: 'pending', is_archived: false })
    const { rows: stock } = await levels()
    expect(stock.length).toBeGreaterThan(0)
    expect(stock.map(({ quantity }) => quantity)).toEqual(stock.map(({ expected }) => expected))

    await two.reload()
    await choose(two, second)
    await person.context.clearCookies()
    await two.route(`**/apps/v1/order/${second.id}`, (route) => route.fulfill(EXPIRED), { times: 1 })
    await press(two, 'Dismiss')
    await dialog(two).getByLabel('Password').fill(PASSWORD)
    await two.keyboard.press('Enter')
    await toast(two, 'Dismissed')
    expect(await stateOf(second.id)).toEqual({ status: 'abandoned', is_archived: true })
  })

  test('an import outlasts a restart of the service, before it starts and while it runs; another tab follows it', async () => {
    const [one, two] = tabs
    const rows = Array.from({ length: 600 }, (_, n) => `again-${n}@shop.example,Again ${n},Tunis\n`)
    const buffer = Buffer.from(`email,Nom,Lieu\n${rows.join('')}`)
    const imported = async () => {
      const { rows } = await sql<{ n: number; cities: number }>`
        select count(*)::int as n, count(*) filter (where city = 'Tunis')::int as cities from customer
        where store_id = ${console.store} and email like 'again-%'`.execute(console.db)
      return rows[0]
    }
    await one.goto(`${console.home}/import?resource=customer`)
    await one.locator('input[type=file]').setInputFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer })
    await one.getByLabel('What it is: Lieu').selectOption('city')
    await console.restart(async () => {
      await press(one, 'Check the file')
      await one.getByText('No answer came from the service').waitFor()
    })
    expect(await one.getByLabel('What it is: Lieu').inputValue()).toBe('city')
    await press(one, 'Check the file')
    await one.getByText('600 new').waitFor()
    expect(await imported()).toEqual({ n: 0, cities: 0 })
    await press(one, 'Import 600 rows')
    await one
      .getByText(/You can close this page|Import finished/)
      .first()
      .waitFor()
    await console.restart(async () => {})
    await two.goto(`${console.home}/import?resource=customer`)
    await two.getByRole('link', { name: /600 rows/ }).click()
    for (const page of tabs) await page.getByText('Import finished').waitFor()
    expect(await imported()).toEqual({ n: 600, cities: 600 })
    await two.getByText('600 new').waitFor()
  })

  test('analytics: the period stays while the service is away and while somebody signs in again', async () => {
    const [page] = tabs
    const figure = page.locator('main figure svg').first()
    await page.goto(`${console.home}/analytics?from=2026-10-01&to=2026-10-28&own=1`)
    await figure.waitFor()
    const section = (name: string) => page.locator('main nav').getByRole('link', { name, exact: true })
    const retry = page.locator('main').getByRole('button', { name: 'Try again' }).first()
    await console.restart(async () => {
      await section('Delivery').click()
      await expect.poll(() => page.url()).toContain('section=delivery')
    })
    const byCity = page.getByRole('heading', { name: 'By city' })
    await expect
      .poll(async () => {
        if (await retry.isVisible()) await retry.click()
        return byCity.isVisible()
      })
      .toBe(true)
    expect(await page.getByLabel('From').inputValue()).toBe('2026-10-01')

    await person.context.clearCookies()
    await page.route('**/apps/v1/analytic/**', (route) => route.fulfill(EXPIRED), { times: 1 })
    await section('Customers').click()
    await dialog(page).getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'New customers' }).waitFor()
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('2026-10-28')
    await page.goBack()
    await byCity.waitFor()
  })
})
