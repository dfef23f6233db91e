import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import { accessibilityFaults, startConsoleBrowser, tooWide } from '../../tests/support/console.ts'

const installed = hasBrowser('the order desk of the console is not tested')

const WAYS = [
  '20 666 777',
  '+216 20-666-777',
  '0021620666777',
  '٢٠ ٦٦٦ ٧٧٧',
  '\u202a+216\u00a020\u00a0666\u00a0777\u202c',
]

describe.skipIf(!installed)('the order desk in a browser', () => {
  test('a phone number is found in any writing: in lists, in the palette, and in a new order', async () => {
    const console = await startConsoleBrowser()
    const person = await console.signIn()
    const { page } = person
    const getToken = async () => (await person.console.post(`/stores/${console.store}/token`)).body.data
    const client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
    const order = await client.orders.create({ customer_first_name: 'Olfa', customer_phone: '+216 20 666 777' })
    const local = await client.orders.create({ customer_first_name: 'Sami', customer_phone: '٢٠٦٦٦٧٧٧' })
    const customer = await client.customers.create({ name: 'Olfa', email: 'olfa@shop.example', phone: '20666777' })
    await client.orders.create({ customer_first_name: 'Nobody', customer_phone: '+216 20 666 778' })
    const rows = page.locator('table:not([aria-busy]) tbody a')
    const search = page.getByRole('searchbox')
    page.on('dialog', (asked) => void asked.accept())
    for (const way of WAYS) {
      await page.goto(`${console.home}/orders`)
      await search.fill(way)
      await expect.poll(() => rows.allInnerTexts(), { message: way }).toEqual([local.ref, order.ref])
      await page.goto(`${console.home}/customers`)
      await search.fill(way)
      await expect.poll(() => rows.allInnerTexts(), { message: way }).toEqual(['Olfa'])
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill(way)
      await page.getByRole('option', { name: order.ref }).waitFor()
      await page.getByRole('option', { name: local.ref }).waitFor()
      await page.getByRole('option', { name: /^Olfa/ }).waitFor()
      await page.goto(`${console.home}/orders?phone=${encodeURIComponent(way)}`)
      await expect.poll(() => rows.allInnerTexts(), { message: way }).toEqual([local.ref, order.ref])
      await page.goto(`${console.home}/orders/new`)
      await page.getByLabel('Phone', { exact: true }).fill(way)
      await page.getByRole('link', { name: `Last order: ${local.ref}` }).waitFor()
    }
    expect((await client.customers.get(customer.id)).phone).toBe('20666777')
    // What is typed in Arabic digits is dialled, too.
    await page.goto(`${console.home}/orders/${local.id}`)
    const call = page.locator('main a[href^="tel:"]')
    expect(await call.getAttribute('href')).toBe('tel:+21620666777')
    expect(person.wrong).toEqual([])
  }, 180_000)

  test('the list of orders is filtered by confirmation and level, and so is its export', async () => {
    const console = await startConsoleBrowser()
    const person = await console.signIn()
    const { page } = person
    const getToken = async () => (await person.console.post(`/stores/${console.store}/token`)).body.data
    const client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
    await client.setting.updateSettings({ order_desk: { confirm: true } })
    const careful = await client.orders.create({ customer_phone: '+216 20 666 771', customer_first_name: 'Olfa' })
    const bad = await client.orders.create({
      customer_phone: 'call me',
      customer_first_name: 'Sami',
      customer_address: '12 rue de Marseille',
    })
    const next_at = '2027-01-05T10:00:00.000Z'
    await client.orders.confirm(careful.id, { result: 'postponed', next_at })
    await client.orders.confirm(bad.id, { result: 'postponed', next_at })
    await page.goto(`${console.home}/orders`)
    await page.getByLabel('Confirmation').selectOption({ label: 'Postponed' })
    await page.getByLabel('Level').selectOption('bad')
    const rows = page.locator('table:not([aria-busy]) tbody a')
    await expect.poll(() => rows.allInnerTexts()).toEqual([bad.ref])
    expect(new URL(page.url()).searchParams.toString()).toBe('confirmation=postponed&level=bad')
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const text = await readFile(await (await downloading).path(), 'utf8')
    const [heading = '', line = '', ...rest] = text.trimEnd().split('\r\n')
    expect(rest).toEqual([])
    expect(heading).toMatch(
      /,phone,duplicate_of,phone_orders,phone_delivered,phone_returned,phone_open,level,reasons,confirmation,confirmation_attempts,confirmation_next_at$/,
    )
    expect(line).toMatch(new RegExp(`^${bad.id},${bad.ref},.*,,,0,0,0,0,bad,invalid_phone,postponed,1,${next_at}$`))
    expect(await accessibilityFaults(page)).toEqual([])
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 })
      expect(await tooWide(page)).toEqual([])
    }
    expect(person.wrong).toEqual([])
  }, 120_000)

  test('an order says what is known, takes a note, and a return is received', async () => {
    const console = await startConsoleBrowser()
    const person = await console.signIn()
    const { page } = person
    const getToken = async () => (await person.console.post(`/stores/${console.store}/token`)).body.data
    const client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
    const { orders } = await client.orders.list({
      status: ['paid'],
      delivery_status: ['delivered'],
      page_size: 50,
    })
    const order = orders.find(
      ({ returns, variants }) => returns.length === 0 && variants.some((line) => !line.is_digital && line.variant),
    )
    if (!order) throw new Error('The demo store has no such order.')
    const line = order.variants.find(({ is_digital, variant }) => !is_digital && variant)
    await client.setting.updateSettings({ order_desk: { restock_on_receipt: true } })
    const stock = async () => {
      const product = await client.products.get(line?.variant?.product_id as string)
      const all = product.variants.length > 0 ? product.variants : [product.default]
      return all.find((variant) => variant?.id === line?.variant?.id)?.quantity as number
    }
    const before = await stock()
    await client.orders.return(order.id, {
      variants: [{ order_variant_id: line?.id as string, quantity: 1, restock: true }],
    })
    expect(await stock()).toBe(before)
    const { signals } = await client.orders.get(order.id)

    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${console.site}/console/s/${console.store}/orders/${order.id}`)
    const names = { good: 'Good', unknown: 'Unknown', careful: 'Careful', bad: 'Bad' }
    await page.getByText(names[signals.level], { exact: true }).waitFor()
    expect(await page.getByText('Came back', { exact: true }).isVisible()).toBe(false)
    await page.getByText('Why', { exact: true }).click()
    await page.getByText('Came back', { exact: true }).waitFor()

    await page.getByLabel('Note', { exact: true }).fill('Rings twice: <b>the bell</b> is broken.')
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.getByRole('listitem').getByText('Rings twice: <b>the bell</b> is broken.').waitFor()
    expect(await page.getByLabel('Note', { exact: true }).inputValue()).toBe('')

    await page.getByRole('button', { name: 'Receive return' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    expect(await stock(), 'only asked').toBe(before)
    await page.getByRole('button', { name: 'Receive return' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Receive return' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await stock()).toBe(before + 1)
    await page.getByRole('button', { name: 'Receive return' }).waitFor({ state: 'detached' })
    const after = await client.orders.get(order.id)
    expect(after.returns[0]?.delivery?.status).toBe('delivered')
    expect(after.history.some(({ note }) => note === 'Rings twice: <b>the bell</b> is broken.')).toBe(true)

    const { id: refund } = await client.orders.refund(order.id, { amount: 1 })
    const status = async () => (await client.orders.get(order.id)).refunds.find(({ id }) => id === refund)?.status
    await page.reload()
    await page.getByRole('button', { name: 'Mark as refunded' }).click()
    await page.getByText('Refund recorded', { exact: true }).waitFor()
    expect(await status()).toBe('refunded')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Mark as refunded' }).waitFor()
    expect(await status()).toBe('pending')

    expect(await accessibilityFaults(page)).toEqual([])
    const tooWide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
    expect(tooWide).toBe(false)
    expect(person.wrong).toEqual([])
  }, 120_000)
})
