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
})
