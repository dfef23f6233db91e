import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../client/src/index.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import { accessibilityFaults, type ConsoleBrowser, startConsoleBrowser, tooWide } from '../../tests/support/console.ts'

const installed = hasBrowser('the forms of an order are not tested')

/** What happens to a request whose answer is lost on its way back. */
const loseAnswers = (page: Page, address: string, method: string) =>
  page.route(address, async (route) => {
    if (route.request().method() !== method) return route.continue()
    await route.fetch()
    await route.abort('connectionreset')
  })

const CAUSED = /status of 4\d\d|ERR_/

describe.skipIf(!installed)('the forms of an order in a browser', () => {
  let console: ConsoleBrowser
  let client: Client
  let page: Page
  let wrong: string[]
  const dialog = () => page.getByRole('dialog')
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const toast = (text: string) => page.locator('[role=status]').getByText(text, { exact: true }).last().waitFor()
  const open = (id: string) => page.goto(`${console.home}/orders/${id}`)

  const allVariants = async () => {
    const { products } = await client.products.list({ page_size: 200 })
    return products.flatMap((product) => {
      const { default: own, variants } = product
      return (variants.length > 0 ? variants : own ? [own] : []).map((variant) => ({ ...variant, product }))
    })
  }
  /** Variants that are in stock and cannot be oversold, each of another product. */
  const inStock = async () => {
    const found = (await allVariants()).filter(
      ({ quantity, sku, product }) => quantity > 50 && sku && product.stock_tracked && !product.allow_order_when_oos,
    )
    return found.filter(({ product }, place) => found.findIndex((other) => other.product.id === product.id) === place)
  }
  const stockOf = async (id: string) => (await allVariants()).find((variant) => variant.id === id)?.quantity

  const place = async (units = 1, phone = '+21620555111') => {
    const [variant] = await inStock()
    if (!variant) throw new Error('The demo store has nothing in stock.')
    const order = await client.orders.create({
      customer_first_name: 'Olfa',
      customer_last_name: 'Trabelsi',
      customer_phone: phone,
      customer_address: '12 rue de Marseille',
      customer_city: 'Tunis',
      shipping_rate: 7,
      discount: 2,
      variants: [{ variant_id: variant.id, quantity: units }],
    })
    return { order, variant }
  }

  beforeAll(async () => {
    console = await startConsoleBrowser()
    const person = await console.signIn()
    ;({ page, wrong } = person)
    const getToken = async () => (await person.console.post(`/stores/${console.store}/token`)).body.data
    client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
  })

  test('an address is changed beside somebody else, and once although the answer is lost', async () => {
    const { order } = await place()
    await open(order.id)
    await page.getByRole('heading', { name: 'Customer', exact: true }).waitFor()
    await page.keyboard.press('e')
    await dialog().getByLabel('Address', { exact: true }).fill('7 avenue Habib Bourguiba')
    expect(await accessibilityFaults(page)).toEqual([])
    await client.orders.update(order.id, { customer_city: 'Sfax', customer_address: 'Somewhere else' })
    await press('Save')
    await dialog()
      .getByText(/Newest version/)
      .waitFor()
    expect(await dialog().getByLabel('City').inputValue()).toBe('Sfax')
    expect(await dialog().getByLabel('Address', { exact: true }).inputValue()).toBe('7 avenue Habib Bourguiba')
    await loseAnswers(page, `**/apps/v1/order/${order.id}`, 'PUT')
    await press('Save')
    await dialog().getByText('No answer came from the service').waitFor()
    await page.unroute(`**/apps/v1/order/${order.id}`)
    // Changed once more after the answer was lost.
    await dialog().getByLabel('City').fill('Sousse')
    await press('Save')
    await toast('Customer and address saved')
    expect(await client.orders.get(order.id)).toMatchObject({
      customer_address: '7 avenue Habib Bourguiba',
      customer_city: 'Sousse',
      customer_phone: '+21620555111',
    })
    await dialog().waitFor({ state: 'detached' })
    await page.getByText('7 avenue Habib Bourguiba').waitFor()
    expect(wrong.splice(0).filter((text) => !CAUSED.test(text))).toEqual([])
  }, 120_000)

  test('items are changed with the total and the stock shown as they will be, once although the answer is lost', async () => {
    const { order, variant } = await place(2)
    const [, other] = await inStock()
    if (!other) throw new Error('The demo store has only one product in stock.')
    const before = { first: (await stockOf(variant.id)) as number, second: (await stockOf(other.id)) as number }
    await page.setViewportSize({ width: 390, height: 844 })
    await open(order.id)
    await press('Edit items')
    const quantity = dialog().getByRole('textbox', { name: /^Quantity of/ })
    await dialog().getByText(`Stock afterwards: ${before.first}`).waitFor()
    await quantity.first().fill('5')
    await dialog()
      .getByText(`Stock afterwards: ${before.first - 3}`)
      .waitFor()
    await quantity.first().fill('100000')
    await dialog()
      .getByText(`Only ${before.first + 2} in stock`)
      .waitFor()
    await press('Save')
    await dialog().getByRole('alert').waitFor()
    expect((await client.orders.get(order.id)).quantity).toBe(2)
    await quantity.first().fill('5')

    await press('Add item')
    const finder = page.getByRole('dialog', { name: 'Add item' })
    await finder.getByRole('textbox').fill(other.sku as string)
    await finder
      .getByText(other.sku as string)
      .first()
      .waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await finder.getByRole('button', { name: new RegExp(other.sku as string) }).click()
    await dialog()
      .getByText(`Stock afterwards: ${before.second - 1}`)
      .waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await tooWide(page)).toEqual([])
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/lines-390.png` })
    const total = variant.price * 5 + other.price + 7 - 2
    await dialog()
      .getByText(`Total: TND ${total.toFixed(3)}`)
      .waitFor()

    await loseAnswers(page, '**/variants', 'PUT')
    await press('Save')
    await dialog().getByText('No answer came from the service').waitFor()
    await page.unroute('**/variants')
    await press('Save')
    await toast('Items saved')
    const after = await client.orders.get(order.id)
    expect(after.variants.map((line) => [line.variant?.id, line.quantity])).toEqual([
      [variant.id, 5],
      [other.id, 1],
    ])
    expect(after.total).toBe(total)
    expect(await stockOf(variant.id)).toBe(before.first - 3)
    expect(await stockOf(other.id)).toBe(before.second - 1)

    // Somebody else changes the same line meanwhile; the other one is taken out, kept, and taken out again.
    await press('Edit items')
    await quantity.first().fill('1')
    await dialog()
      .getByRole('button', { name: /^Take out/ })
      .last()
      .click()
    await dialog().getByText('Will be taken out').waitFor()
    await press('Keep it')
    await dialog()
      .getByRole('button', { name: /^Take out/ })
      .last()
      .click()
    const [first] = after.variants
    await client.orders.updateOrderLines(order.id, {
      variants: after.variants.map(({ id, quantity }) => ({ id, quantity: id === first?.id ? 4 : quantity })),
    })
    await press('Save')
    await dialog()
      .getByText(/Newest version/)
      .waitFor()
    await press('Save')
    await toast('Items saved')
    await dialog().waitFor({ state: 'detached' })
    expect((await client.orders.get(order.id)).variants.map((line) => [line.variant?.id, line.quantity])).toEqual([
      [variant.id, 1],
    ])
    expect(await stockOf(variant.id)).toBe(before.first + 1)
    expect(await stockOf(other.id)).toBe(before.second)
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(wrong.splice(0).filter((text) => !CAUSED.test(text))).toEqual([])
  }, 120_000)

  test('an order is created for somebody who calls: nothing typed is lost, and it is placed once although answers are', async () => {
    const phone = '+21620555666'
    const { order: before, variant } = await place(1, phone)
    const stock = (await stockOf(variant.id)) as number
    const ordersOfPhone = async () => (await client.orders.list({ phone })).orders
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${console.home}/orders`)
    await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor()
    await page.keyboard.press('n')
    await page.getByRole('heading', { name: 'New order' }).waitFor()

    await press('Find a customer')
    await dialog().getByRole('textbox').fill('20 555 666')
    await dialog()
      .getByRole('button', { name: /Olfa Trabelsi/ })
      .waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.keyboard.press('Enter')
    await dialog().waitFor({ state: 'detached' })
    expect(await page.getByLabel('Phone', { exact: true }).inputValue()).toBe(phone)
    expect(await page.getByLabel('City', { exact: true }).inputValue()).toBe('Tunis')
    await page.getByRole('link', { name: `Last order: ${before.ref}` }).waitFor()

    await press('Create order')
    await page.getByText('An order has at least one item.').waitFor()
    await press('Add item')
    await dialog()
      .getByRole('textbox')
      .fill(variant.sku as string)
    await dialog()
      .getByRole('button', { name: new RegExp(variant.sku as string) })
      .click()
    const quantity = page.getByRole('textbox', { name: /^Quantity of/ })
    await quantity.fill('100000')
    await page.getByLabel(/^Shipping \(/).fill('7,5')
    await page.getByLabel(/^Discount \(/).fill('1')
    await page.getByLabel('Note', { exact: true }).fill('Rings after five.')
    await press('Create order')
    await page.getByText(`Only ${stock} in stock`).waitFor()
    await page.getByRole('alert').waitFor()
    expect(await ordersOfPhone()).toHaveLength(1)
    expect(await stockOf(variant.id)).toBe(stock)
    expect(await accessibilityFaults(page)).toEqual([])
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 844 })
      expect(await tooWide(page)).toEqual([])
    }
    page.once('dialog', (asked) => void asked.dismiss())
    await page.getByRole('main').getByRole('link', { name: 'Orders', exact: true }).click()
    await quantity.fill('2')
    const total = variant.price * 2 + 7.5 - 1
    await page.getByText(`Total: TND ${total.toFixed(3)}`).waitFor()
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/new-order.png`, fullPage: true })

    await loseAnswers(page, '**/apps/v1/order', 'POST')
    await press('Create order')
    await page.getByText('No answer came from the service').waitFor()
    expect(await page.getByLabel('Phone', { exact: true }).inputValue()).toBe(phone)
    await page.unroute('**/apps/v1/order')
    // Changed after the order was placed without an answer; then the answer to the note is lost too.
    await page.getByLabel('City', { exact: true }).fill('Sousse')
    await loseAnswers(page, '**/note', 'POST')
    await press('Create order')
    await page.getByText('The order is created. Its note could not be saved').waitFor()
    await page.unroute('**/note')
    await press('Save note')
    const made = (await ordersOfPhone()).filter(({ id }) => id !== before.id)
    expect(made).toHaveLength(1)
    const [order] = made
    await toast(
      `The first attempt had arrived: order ${order?.ref} is as it was then. Change here what you changed since.`,
    )
    await page.getByRole('heading', { name: order?.ref as string }).waitFor()
    expect(order).toMatchObject({ total, quantity: 2, shipping_rate: 7.5, discount: 1, customer_city: 'Tunis' })
    expect((await client.orders.get(order?.id as string)).history.flatMap(({ note }) => note ?? [])).toEqual([
      'Rings after five.',
    ])
    expect(await stockOf(variant.id)).toBe(stock - 2)
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(wrong.splice(0).filter((text) => !CAUSED.test(text))).toEqual([])
  }, 120_000)

  test('a shipped parcel is marked as delivered and back; then neither address nor items can be edited', async () => {
    const { order } = await place(1, '+21620555222')
    const parcel = order.deliveries[0]?.id as string
    await client.orders.updateDelivery(parcel, { status: 'shipped' })
    await open(order.id)
    await page.getByRole('button', { name: 'Mark as delivered' }).click()
    await toast('Marked as delivered')
    expect((await client.orders.get(order.id)).deliveries[0]?.status).toBe('delivered')
    expect(await page.getByRole('button', { name: 'Edit items' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Edit', exact: true }).count()).toBe(0)
    await press('Undo')
    await toast('Marked as shipped')
    expect((await client.orders.get(order.id)).deliveries[0]?.status).toBe('shipped')
    expect(wrong.splice(0)).toEqual([])
  }, 120_000)

  test('the page of an order shows a duplicate beside it, and merges both into the older one', async () => {
    const older = await place(1, '+21620555333')
    const newer = await place(1, '+21620555333')
    const before = await stockOf(older.variant.id)
    await open(newer.order.id)
    await page.getByRole('heading', { name: 'Ordered twice?' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await press('Merge')
    await dialog().getByRole('button', { name: 'Merge', exact: true }).click()
    await toast('Orders merged')
    await page.getByRole('heading', { name: older.order.ref }).waitFor()
    expect((await client.orders.get(older.order.id)).quantity).toBe(2)
    expect((await client.orders.get(newer.order.id)).is_cancelled).toBe(true)
    expect(await stockOf(older.variant.id)).toBe(before)
    expect(wrong.splice(0)).toEqual([])
  }, 120_000)

  test('the dialog of a return says when its items go back into stock', async () => {
    const { order } = await place(1, '+21620555444')
    await open(order.id)
    await press('More actions')
    await page.getByRole('menuitem', { name: 'Return items' }).click()
    await dialog().getByText('The items go back into stock at once').waitFor()
    await client.setting.updateSettings({ order_desk: { restock_on_receipt: true } })
    await page.reload()
    await press('More actions')
    await page.getByRole('menuitem', { name: 'Return items' }).click()
    await dialog().getByText('when the return is received').waitFor()
    await client.setting.updateSettings({ order_desk: { restock_on_receipt: false } })
    expect(wrong.splice(0)).toEqual([])
  }, 120_000)
})
