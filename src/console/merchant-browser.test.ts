import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../client/src/index.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import {
  accessibilityFaults,
  type ConsoleBrowser,
  pasting,
  startConsoleBrowser,
  tooWide,
} from '../../tests/support/console.ts'
import { picture } from '../../tests/support/uploads.ts'

const installed = hasBrowser('bundles, abandoned orders and analytics are not tested in a browser')

describe.skipIf(!installed)('bundles, abandoned orders and analytics in a browser', () => {
  let console: ConsoleBrowser
  let person: Awaited<ReturnType<ConsoleBrowser['signIn']>>
  let page: Page
  let wrong: string[]
  let client: Client
  const open = (where: string) => page.goto(console.home + where)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const dialog = () => page.getByRole('dialog')
  const toast = (text: string) => page.locator('[role=status]').getByText(text, { exact: true }).last().waitFor()
  const rows = () => page.locator('tbody tr')
  const saved = async (act: () => Promise<unknown>) => {
    const [download] = await Promise.all([page.waitForEvent('download'), act()])
    return readFile(await download.path(), 'utf8')
  }

  beforeAll(async () => {
    console = await startConsoleBrowser()
    person = await console.signIn()
    page = person.page
    wrong = person.wrong
    const getToken = async () => (await person.console.post(`/stores/${console.store}/token`)).body.data
    client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
  })

  test('a bundle is made once although its answer is lost, changed beside somebody else, and deleted', async () => {
    await open('/bundles')
    await rows().first().waitFor()
    const before = await rows().count()
    await page.keyboard.press('?')
    await dialog().getByText('New bundle').waitFor()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await dialog().getByRole('button', { name: 'Choose a product' }).click()
    const finder = page.getByRole('dialog', { name: 'Choose a product' })
    await finder.getByRole('textbox').fill('tagine')
    await finder.getByRole('listitem').first().getByRole('button').click()
    await dialog().getByLabel('Name', { exact: true }).fill('Dinner set')
    await dialog().getByLabel('Name of the offer').fill('Set of four')
    await dialog().getByLabel('Units', { exact: true }).fill('4')
    await dialog()
      .getByLabel(/^Price of all units/)
      .fill('x')
    await press('Save')
    await dialog().getByText('Enter a number').waitFor()
    await dialog()
      .getByLabel(/^Price of all units/)
      .fill('10')
    await dialog()
      .getByText(/TND 2\.500 a unit instead of .*: \d+% less/)
      .waitFor()

    await page.route('**/apps/v1/bundle', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await route.fetch()
      await route.abort('connectionreset')
    })
    await press('Save')
    await dialog().getByText('No answer came from the service').waitFor()
    await page.unroute('**/apps/v1/bundle')
    await dialog()
      .getByLabel(/^Price of all units/)
      .fill('12')
    await press('Save')
    await toast('Bundle created')
    await expect.poll(() => rows().count()).toBe(before + 1)

    await rows().getByRole('link', { name: 'Dinner set' }).click()
    await dialog().getByLabel('Name', { exact: true }).waitFor()
    await sql`update bundle set name = 'Their name', updated_at = now() + interval '1 second'
      where store_id = ${console.store} and name = 'Dinner set'`.execute(console.db)
    await dialog().getByLabel('Name', { exact: true }).fill('My name')
    await press('Save')
    await dialog()
      .getByText(/Newest version/)
      .waitFor()
    await press('Save')
    await toast('Bundle saved')
    await rows().getByRole('link', { name: 'My name' }).waitFor()
    const { rows: stored } = await sql`select b.name, o.quantity, o.price::float8 as price from bundle b
      join bundle_option o on o.store_id = b.store_id and o.bundle_id = b.id
      where b.store_id = ${console.store} and b.name = 'My name'`.execute(console.db)
    expect(stored).toEqual([{ name: 'My name', quantity: 4, price: 12 }])
    await page.getByRole('checkbox', { name: /My name/ }).check()
    await press('Delete bundle')
    await toast('Bundle deleted: My name')
    await expect.poll(() => rows().count()).toBe(before)
    expect(wrong.splice(0).filter((text) => !/status of 4(12|22)|ERR_/.test(text))).toEqual([])
  })

  test('an offer that is opened by its address shows its product', async () => {
    const { rows: found } = await sql<{ id: string; name: string; title: string }>`
      select b.id, b.name, p.title from bundle b join product p on p.store_id = b.store_id and p.id = b.product_id
      where b.store_id = ${console.store} limit 1`.execute(console.db)
    const bundle = found[0] as (typeof found)[number]
    // The product is read last of all.
    await page.route('**/apps/v1/product/*', async (route) => {
      await dialog().getByLabel('Name', { exact: true }).waitFor()
      await route.continue()
    })
    await open(`/bundles?edit=${bundle.id}`)
    await dialog().getByText(bundle.title).waitFor()
    await page.unroute('**/apps/v1/product/*')
    await page.keyboard.press('Escape')
    expect(wrong.splice(0)).toEqual([])
  })

  test('stock is changed by differences: an order in between keeps its units, and a lost answer adds once', async () => {
    const { rows: found } = await sql<{ id: string; sku: string; quantity: number }>`
      select v.id, v.sku, v.quantity from variant v
      join product p on p.store_id = v.store_id and p.id = v.product_id
      where v.store_id = ${console.store} and p.stock_tracked and not p.allow_order_when_oos and v.quantity > 5
        and v.sku is not null order by v.sku limit 2`.execute(console.db)
    const [one, two] = found as [(typeof found)[number], (typeof found)[number]]
    const stockOf = async (id: string) =>
      (
        await sql<{ quantity: number }>`
          select quantity from variant where store_id = ${console.store} and id = ${id}`.execute(console.db)
      ).rows[0]?.quantity
    await open('/inventory')
    const levels = async () => (await rows().locator('td:nth-of-type(2)').allInnerTexts()).map(Number)
    await expect.poll(levels).toContain(0)
    expect((await levels())[0], 'lowest stock first').toBe(Math.min(...(await levels())))
    await page.getByRole('searchbox').fill(one.sku.toLowerCase())
    await expect.poll(() => rows().count()).toBeLessThan(5)
    const row = page.locator('tbody tr', { has: page.getByText(one.sku, { exact: true }) })
    await row.getByRole('textbox').fill('x')
    await row.getByText('Enter a whole number').waitFor()
    await row.getByRole('textbox').fill('10')
    await row.getByText(`After: ${one.quantity + 10}`).waitFor()
    await page.getByLabel('Reason').fill('Counted again')
    // Somebody buys two in between.
    await sql`update variant set quantity = quantity - 2 where store_id = ${console.store} and id = ${one.id}`.execute(
      console.db,
    )
    await page.route('**/apps/v1/stock*', async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    await press('Change 1 variant')
    await page.getByText('No answer came from the service').waitFor()
    await page.unroute('**/apps/v1/stock*')
    await press('Change 1 variant')
    await toast('1 variant changed')
    expect(await stockOf(one.id)).toBe(one.quantity + 8)
    await row.getByRole('textbox').fill('-100000')
    await press('Change 1 variant')
    await row.getByText(`Only ${one.quantity + 8} in stock.`).waitFor()
    await press('Discard')
    await row.getByRole('button', { name: /^History of/ }).click()
    const told = dialog().locator('tbody tr')
    await told.nth(2).waitFor()
    expect((await told.locator('th, td:nth-of-type(-n+2)').allInnerTexts()).map((text) => text.trim())).toEqual([
      ...[expect.stringMatching(/^Adjusted\s+Counted again$/), '+10', String(one.quantity + 8)],
      ...['Product edited', '-2', String(one.quantity - 2)],
      ...['Stock at the beginning', `+${one.quantity}`, String(one.quantity)],
    ])
    await expect.poll(() => told.first().innerText()).toMatch(/Console · \S/)
    await page.keyboard.press('Escape')

    await press('Paste a list')
    await dialog()
      .getByLabel('SKU and number, one variant a line')
      .fill(`${one.sku}\t-3\n${two.sku};4\nNOTHING,1\n\nbad`)
    await dialog().getByText('Line 5 has no SKU with a whole number.').waitFor()
    await dialog().getByLabel('SKU and number, one variant a line').fill(`${one.sku}\t-3\n${two.sku};4\nNOTHING,1\n`)
    await press('Preview')
    await dialog().getByText('No variant has this SKU.').waitFor()
    expect(await stockOf(one.id), 'a preview changes nothing').toBe(one.quantity + 8)
    await press('Change 2 variants')
    await toast('2 variants changed')
    expect(await stockOf(one.id)).toBe(one.quantity + 5)
    expect(await stockOf(two.id)).toBe(two.quantity + 4)
    // Two more are sold. The answer to «Undo» is lost: it is offered again, and gives back once.
    await sql`update variant set quantity = quantity - 2 where store_id = ${console.store} and id = ${two.id}`.execute(
      console.db,
    )
    await page.route('**/apps/v1/stock*', async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click()
    await page.getByRole('status').getByRole('button', { name: 'Try again' }).waitFor()
    await page.unroute('**/apps/v1/stock*')
    await press('Try again')
    await toast('2 variants are as before')
    expect(await stockOf(one.id)).toBe(one.quantity + 8)
    expect(await stockOf(two.id)).toBe(two.quantity - 2)
    expect(wrong.splice(0).filter((text) => !/ERR_/.test(text))).toEqual([])
  })

  test('of a pasted list, what is refused after its preview stays to be mended', async () => {
    const { rows: found } = await sql<{ id: string; sku: string; quantity: number }>`
      select v.id, v.sku, v.quantity from variant v
      join product p on p.store_id = v.store_id and p.id = v.product_id
      where v.store_id = ${console.store} and p.stock_tracked and not p.allow_order_when_oos and v.quantity > 5
        and v.sku is not null order by v.sku desc limit 2`.execute(console.db)
    const [one, two] = found as [(typeof found)[number], (typeof found)[number]]
    const stockOf = async ({ id }: { id: string }) =>
      (
        await sql<{ quantity: number }>`
          select quantity from variant where store_id = ${console.store} and id = ${id}`.execute(console.db)
      ).rows[0]?.quantity
    await open('/inventory')
    await rows().first().waitFor()
    await press('Paste a list')
    const list = dialog().getByLabel('SKU and number, one variant a line')
    await list.fill(`${one.sku}\t-4\nNOTHING\t1\n${two.sku}\t-5`)
    await press('Preview')
    await dialog().getByText('No variant has this SKU.').waitFor()
    // All but three are sold in between.
    await sql`update variant set quantity = 3 where store_id = ${console.store} and id = ${one.id}`.execute(console.db)
    await press('Change 2 variants')
    await dialog().getByText('1 variant was not changed.').waitFor()
    await dialog().getByText('Only 3 in stock.').waitFor()
    expect(await list.inputValue(), 'what was done is not done again').toBe(`${one.sku}\t-4`)
    expect([await stockOf(one), await stockOf(two)]).toEqual([3, two.quantity - 5])
    await list.fill(`${one.sku}\t-3`)
    await press('Preview')
    await press('Change 1 variant')
    await expect.poll(() => dialog().count()).toBe(0)
    expect([await stockOf(one), await stockOf(two)]).toEqual([0, two.quantity - 5])
    expect(wrong.splice(0)).toEqual([])
  })

  test('one difference for a range, for all that match, and from a column of a spreadsheet; a view is saved', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await open('/inventory?search=fouta&order=title')
    await rows().nth(3).waitFor()
    const difference = (place: number) => rows().nth(place).getByRole('textbox')
    const texts = async (places: number[]) => Promise.all(places.map((place) => difference(place).inputValue()))
    const tick = (place: number, shift = false) =>
      rows()
        .nth(place)
        .getByRole('checkbox')
        .click(shift ? { modifiers: ['Shift'] } : {})
    await tick(0)
    await tick(2, true)
    const chosen = page.getByRole('form', { name: '3 selected' })
    await chosen.getByRole('textbox').fill('5')
    await chosen.getByRole('button', { name: 'Use this difference' }).click()
    expect(await texts([0, 1, 2, 3])).toEqual(['5', '5', '5', ''])
    await difference(0).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.type('0')
    expect(await texts([1, 2])).toEqual(['5', '50'])
    await difference(1).focus()
    await page.evaluate(pasting('7\r\n-1\r\n'))
    await expect.poll(() => texts([0, 1, 2])).toEqual(['5', '7', '-1'])
    // What finds no row is said, and digits may be those of an Arabic keyboard.
    const last = (await rows().count()) - 1
    await difference(last).focus()
    await page.evaluate(pasting('٣\n4\n5\n'))
    await page.getByText('2 numbers found no row on this page and were left out.').first().waitFor()
    expect(await texts([last])).toEqual(['3'])
    await difference(last).fill('')
    // Another search keeps what is typed, and asks nothing.
    await page.getByRole('searchbox').fill('tagine')
    await page.getByText('3 differences are on other pages.').waitFor()
    await press('Discard')
    await page.getByRole('button', { name: 'Save view' }).click()
    await dialog().getByLabel('Name of the view').fill('Tagines')
    await press('Save')
    await page.locator('main nav').getByRole('link', { name: 'Tagines' }).waitFor()

    // More products than a page shows.
    const { rows: stored } = await sql<{ id: string; quantity: number }>`
      select v.id, v.quantity from variant v join product p on p.store_id = v.store_id and p.id = v.product_id
      where v.store_id = ${console.store} and p.stock_tracked order by v.id`.execute(console.db)
    const levels = async () => {
      const { rows } = await sql<{ quantity: number }>`select v.quantity from variant v
        join product p on p.store_id = v.store_id and p.id = v.product_id
        where v.store_id = ${console.store} and p.stock_tracked order by v.id`.execute(console.db)
      return rows.map(({ quantity }) => quantity)
    }
    await open('/inventory')
    await rows().first().waitFor()
    await tick(0)
    const all = page.getByRole('form', { name: '1 selected' })
    await all.getByLabel('Which variants').selectOption('all')
    await all.getByRole('textbox').fill('2')
    await all.getByRole('button', { name: 'Use this difference' }).click()
    const before = stored.map(({ quantity }) => quantity)
    await press(`Change ${stored.length.toLocaleString('en')} variants`)
    await toast(`${stored.length.toLocaleString('en')} variants changed`)
    expect(await levels()).toEqual(before.map((quantity) => quantity + 2))
    await press('Undo')
    await toast(`${stored.length.toLocaleString('en')} variants are as before`)
    expect(await levels()).toEqual(before)
    expect(wrong.splice(0)).toEqual([])
  })

  test('an abandoned order is contacted from a template, dismissed, put back and made an order', async () => {
    await open('/abandoned')
    await rows().first().waitFor()
    const { rows: found } = await sql<{ id: string; customer_name: string; customer_phone: string }>`
      select id, customer_first_name as customer_name, customer_phone from orders where store_id = ${console.store} and status = 'abandoned'
        and not is_archived and customer_phone <> '' order by created_at desc limit 1`.execute(console.db)
    const order = found[0] as (typeof found)[number]
    const stateOf = async () =>
      (
        await sql`select status, is_archived from orders where store_id = ${console.store} and id = ${order.id}`.execute(
          console.db,
        )
      ).rows[0]
    const choose = () => rows().filter({ hasText: order.customer_name }).first().getByRole('checkbox').check()
    await choose()
    await press('Contact')
    const digits = order.customer_phone.replace(/\D/g, '')
    expect(await dialog().getByRole('link', { name: /Call/ }).getAttribute('href')).toMatch(/^tel:\+?\d+$/)
    await dialog().getByLabel('Language of the message').selectOption('fr')
    expect(await dialog().getByLabel('Message', { exact: true }).inputValue()).toContain(
      `Bonjour ${order.customer_name}`,
    )
    await dialog().getByLabel('Message', { exact: true }).fill('Bonjour & merci')
    const whatsapp = await dialog().getByRole('link', { name: 'WhatsApp' }).getAttribute('href')
    expect(whatsapp).toBe(`https://wa.me/${digits}?text=Bonjour%20%26%20merci`)
    // Another template takes nothing away of what was typed.
    await dialog().getByLabel('Language of the message').selectOption('ar')
    expect(await dialog().getByLabel('Message', { exact: true }).inputValue()).toContain(order.customer_name)
    await dialog().getByLabel('Language of the message').selectOption('fr')
    expect(await dialog().getByLabel('Message', { exact: true }).inputValue()).toBe('Bonjour & merci')
    await page.keyboard.press('Escape')
    await press('Dismiss')
    await toast('Dismissed')
    expect(await stateOf()).toEqual({ status: 'abandoned', is_archived: true })
    await press('Undo')
    await toast('Back in the list')
    expect(await stateOf()).toEqual({ status: 'abandoned', is_archived: false })
    const stock = (units: number) =>
      sql`update variant set quantity = ${units} where store_id = ${console.store} and id in (
        select variant_id from order_line where store_id = ${console.store} and order_id = ${order.id})`.execute(
        console.db,
      )
    const convert = async () => {
      await press('Make it an order')
      await dialog().getByRole('button', { name: 'Make it an order' }).click()
    }
    await stock(0)
    await choose()
    await convert()
    await dialog().getByText('The items are no longer in stock.').waitFor()
    expect(await stateOf()).toEqual({ status: 'abandoned', is_archived: false })
    await page.keyboard.press('Escape')
    await stock(100)
    await choose()
    await convert()
    await toast('Now an order')
    expect(await stateOf()).toEqual({ status: 'pending', is_archived: false })
    expect(wrong.splice(0).filter((text) => !/status of 422/.test(text))).toEqual([])
  })

  /** A new order that is to be paid in one way, or in none that is known. */
  const ordered = async (status: 'pending' | 'abandoned' | 'paid', type?: 'cod' | 'card') => {
    const { payment_methods } = await client.payment_methods.list()
    const method = payment_methods.find(({ payment_types }) => type && payment_types.includes(type))
    const product = await client.products.create({ title: `Mat ${status} ${type}`, default: { price: 4, quantity: 1 } })
    return client.orders.create({
      status,
      customer_phone: '+216 20 765 432',
      variants: [{ variant_id: product.default?.id as string, quantity: 1 }],
      ...(method && { payment_method_id: method.id }),
    })
  }

  test('the message to a customer says «You pay when it arrives» only if that is so', async () => {
    const messageFor = async (type?: 'cod' | 'card') => {
      const { ref } = await ordered('abandoned', type)
      await open(`/abandoned?search=${ref}`)
      await rows().getByRole('checkbox').first().check()
      await press('Contact')
      const message = await dialog().getByLabel('Message', { exact: true }).inputValue()
      expect(message).toContain('Shall we send it to you?')
      return message
    }
    expect(await messageFor('cod')).toContain('You pay when it arrives.')
    expect(await messageFor('card')).not.toContain('You pay')
    expect(await messageFor()).toContain('You pay when it arrives.')
    expect(wrong.splice(0)).toEqual([])
  })

  test('an invoice has its year, and says what is still to be paid', async () => {
    const made = [
      await ordered('pending', 'cod'),
      await ordered('pending', 'card'),
      await ordered('pending'),
      await ordered('paid', 'card'),
    ]
    await client.orders.update(made[2]?.id as string, { is_cancelled: true })
    await open(`/orders/print?kind=invoice&ids=${made.map(({ id }) => id).join()}`)
    await expect.poll(() => page.locator('article').count()).toBe(4)
    expect(await page.locator('article dl div:last-child dt').allInnerTexts()).toEqual([
      ...['To be paid on delivery', 'To be paid', 'Order cancelled', 'Paid'],
    ])
    for (const date of await page.locator('article time').allInnerTexts()) expect(date).toMatch(/, 20\d\d$/)
    expect(wrong.splice(0)).toEqual([])
  })

  test('invoices and packing lists: one order a page, on A6 and A4, with the sender and a bar code', async () => {
    const { rows: orders } = await sql<{ id: string; ref: string }>`
      select o.id, o.ref from orders o where o.store_id = ${console.store} and not o.is_cancelled and exists (
        select 1 from delivery d where d.store_id = o.store_id and d.order_id = o.id and d.status = 'unfulfilled')
      order by o.created_at desc limit 3`.execute(console.db)
    await open(`/orders/print?ids=${orders.map(({ id }) => id).join()}`)
    await expect.poll(() => page.locator('article').count()).toBeGreaterThanOrEqual(3)
    expect(await page.locator('article dl').count(), 'no prices').toBe(0)
    await page.getByLabel('Prices').selectOption('yes')
    expect(await page.locator('article dl').count()).toBeGreaterThanOrEqual(3)
    await page.getByLabel('What to print').selectOption('invoice')
    await page.getByLabel('Paper').selectOption('a6')
    await expect.poll(() => page.locator('article').count()).toBe(3)
    const first = page.locator('article').first()
    const { rows: named } = await sql<{ name: string }>`select name from store where id = ${console.store}`.execute(
      console.db,
    )
    expect(await first.innerText()).toContain(named[0]?.name)
    expect(await first.getByRole('img').getAttribute('aria-label')).toBe(orders[0]?.ref)
    const logo = page.locator('article img[src]')
    expect(await logo.count()).toBe(0)
    await page.locator('input[type=file]').setInputFiles({
      ...{ name: 'logo.png', mimeType: 'image/png', buffer: await picture('png', { colour: '#1144aa' }) },
    })
    await toast('Logo saved')
    await expect.poll(() => logo.count()).toBe(3)
    await expect
      .poll(() => logo.first().evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBeGreaterThan(0)
    await page.reload()
    await expect.poll(() => logo.count()).toBe(3)
    const pages = async () => {
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
      return [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map(([, width, height]) =>
        [width, height].map((points) => Math.round((Number(points) / 72) * 25.4)),
      )
    }
    expect(await pages()).toEqual([0, 1, 2].map(() => [105, 148]))
    await page.getByLabel('Paper').selectOption('a4')
    expect(await pages()).toEqual([0, 1, 2].map(() => [210, 297]))
    await press('Remove logo')
    await toast('Logo removed')
    await expect.poll(() => logo.count()).toBe(0)
    expect(wrong.splice(0)).toEqual([])
  })

  test('analytics: any period, the one before, figures that agree with the API, tables and CSV', async () => {
    await open('/analytics?from=2026-10-01&to=2026-10-28&own=1')
    const chart = page.locator('figure', { has: page.getByRole('heading', { name: 'Orders', exact: true }) })
    await chart.getByRole('button', { name: 'Show as table' }).click()
    await expect.poll(() => chart.locator('tbody tr').count()).toBe(28)
    const perDay = await chart.locator('tbody td:nth-child(2)').allInnerTexts()
    const shown = await chart.locator('figcaption strong').innerText()
    expect(perDay.reduce((sum, text) => sum + Number(text), 0)).toBe(Number(shown.replace(',', '')))
    const { rows: counted } = await sql<{ n: number }>`
      select count(*)::int as n from orders where store_id = ${console.store} and status <> 'abandoned'
        and created_at >= '2026-10-01T00:00:00+01:00' and created_at < '2026-10-29T00:00:00+01:00'`.execute(console.db)
    expect(Number(shown.replace(',', ''))).toBe(counted[0]?.n)
    const csv = await saved(() => chart.getByRole('button', { name: 'Orders, CSV' }).click())
    expect(csv.trim().split('\r\n')).toHaveLength(29)
    expect(csv.split('\r\n')[1], 'a day that every spreadsheet reads').toMatch(/^2026-10-01,/)
    // Amounts are rounded on the axis alone.
    const revenue = page.locator('figure', { has: page.getByRole('heading', { name: 'Revenue', exact: true }) })
    const axis = await revenue.locator('figcaption + div').first().innerText()
    expect(axis).toMatch(/\d(\.\d)?K/)
    await revenue.getByRole('button', { name: 'Show as table' }).click()
    const amounts = (await revenue.locator('tbody td:nth-child(2)').allInnerTexts()).map((text) =>
      Number(text.replace(/[^\d.-]/g, '')),
    )
    const file = await saved(() => revenue.getByRole('button', { name: 'Revenue, CSV' }).click())
    expect(amounts).toEqual(
      file
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => Number(line.split(',')[1])),
    )
    expect(Math.max(...amounts)).toBeGreaterThan(0)

    await page.getByLabel('From').fill('2026-08-01')
    await expect.poll(() => page.getByLabel('By').inputValue()).toBe('day')
    await page.getByLabel('By').selectOption('week')
    await expect.poll(() => chart.locator('tbody tr').count()).toBeLessThan(16)
    await page.getByLabel('From').fill('2026-11-30')
    await page.getByText('The first day must not be after the last one.').waitFor()
    await page.goBack()
    await expect.poll(() => page.getByLabel('From').inputValue()).toBe('2026-08-01')

    await page.getByRole('link', { name: 'Products', exact: true }).last().click()
    const best = page.locator('main div', { has: page.getByRole('heading', { name: 'What sells' }) }).last()
    await best.locator('tbody tr').first().waitFor()
    const first = (await best.locator('tbody th').first().innerText()).trim()
    expect(
      (await saved(() => best.getByRole('button', { name: 'What sells as CSV' }).click())).split('\r\n')[1],
    ).toContain(first.split(',')[0])
    await best.getByRole('link', { name: first, exact: true }).click()
    await page.getByRole('heading', { name: `${first} over time` }).waitFor()
    await page.goBack()
    await best.waitFor()
    await page.locator('main nav').getByRole('link', { name: 'Landing pages', exact: true }).click()
    const pages = page.getByRole('region', { name: 'From landing page to delivered revenue' })
    const landing = (await pages.locator('tbody th').first().innerText()).trim()
    await pages.getByRole('link', { name: landing, exact: true }).click()
    await page.getByRole('heading', { name: `${landing} over time` }).waitFor()
    await page.getByRole('heading', { name: 'Delivered revenue' }).waitFor()
    await page.getByRole('button', { name: 'All landing pages' }).click()
    await pages.waitFor()
    // A day without a figure has none, neither in the table nor under the pointer.
    await open('/analytics?section=delivery&from=2020-12-30&to=2021-01-02&own=1')
    const success = page.locator('figure', { has: page.getByRole('heading', { name: 'Delivery success' }) })
    await success.locator('svg').hover()
    await expect.poll(() => success.locator('figcaption p').innerText()).toMatch(/^– .*20(20|21)$/)
    // Days of two years name it.
    expect(await success.locator('svg + *, div[aria-hidden]').last().innerText()).toMatch(
      /Dec 30, 2020\s.*Jan 2, 2021/s,
    )
    for (const [section, title] of [
      ['Customers', 'New customers'],
      ['Landing pages', 'From landing page to delivered revenue'],
      ['Delivery', 'By city'],
      ['Levels', 'What became of the orders of each level'],
      ['Stock', 'Runs out soon'],
    ] as const) {
      await page.locator('main nav').getByRole('link', { name: section, exact: true }).click()
      await page.getByRole('heading', { name: title }).waitFor()
    }
    expect(wrong).toEqual([])
  })

  test('analytics: a table that ends says so', async () => {
    await open('/analytics?section=stock&from=2026-10-01&to=2026-10-28&own=1')
    const gone = page.locator('main div', { has: page.getByRole('heading', { name: 'Out of stock' }) }).last()
    await gone.locator('tbody tr').first().waitFor()
    expect(await gone.getByText('Only the first').count()).toBe(0)
    const made: string[] = []
    for (let n = await gone.locator('tbody tr').count(); n < 101; n++)
      made.push((await client.products.create({ title: `Gone ${n}`, status: 'active', default: { price: 1 } })).id)
    await page.reload()
    await gone.getByText('Only the first 100 are shown.').waitFor()
    expect(await gone.locator('tbody tr').count()).toBe(100)
    for (const id of made) await client.products.delete(id)
    expect(wrong.splice(0)).toEqual([])
  })

  test('the pages are accessible on a dark phone in Arabic, and what is printed is black on white', async () => {
    const arabic = await console.signIn({ language: 'ar', theme: 'dark' }, { width: 390, height: 844 })
    const { rows: orders } = await sql<{ id: string }>`
      select id from orders where store_id = ${console.store} and status <> 'abandoned' limit 1`.execute(console.db)
    for (const [path, ready] of [
      ['/inventory', 'tbody input'],
      ['/bundles', 'tbody a'],
      ['/abandoned', 'tbody a'],
      ['/import?resource=product', 'main select'],
      ['/analytics?from=2026-10-01&to=2026-10-28&own=1', 'main figure svg'],
      ['/analytics?section=delivery&from=2026-10-01&to=2026-10-28&own=1', 'main table'],
      [`/orders/print?ids=${orders[0]?.id}&kind=invoice&paper=a6`, 'article'],
    ] as const) {
      await arabic.page.goto(console.home + path)
      await arabic.page.locator(ready).first().waitFor()
      expect(await accessibilityFaults(arabic.page), path).toEqual([])
      expect(await tooWide(arabic.page), path).toEqual([])
      if (path !== '/inventory') continue
      // Names and numbers have room on the smallest phone, too.
      await arabic.page.setViewportSize({ width: 320, height: 700 })
      const widthOf = async (selector: string) =>
        (await arabic.page.locator(`tbody tr:first-child ${selector}`).boundingBox())?.width
      expect(await widthOf('th')).toBeGreaterThan(180)
      expect(await widthOf('input[inputmode]')).toBeGreaterThan(70)
      await arabic.page.setViewportSize({ width: 390, height: 844 })
    }
    const colorOf = () => arabic.page.evaluate<string>("getComputedStyle(document.querySelector('article h2')).color")
    const onScreen = await colorOf()
    await arabic.page.emulateMedia({ media: 'print' })
    await page.goto(arabic.page.url())
    await page.locator('article h2').waitFor()
    expect(await colorOf()).not.toBe(onScreen)
    expect(await colorOf(), 'as in the light theme').toBe(
      await page.evaluate<string>("getComputedStyle(document.querySelector('article h2')).color"),
    )
    expect(arabic.wrong).toEqual([])
    await arabic.context.close()
  })
})
