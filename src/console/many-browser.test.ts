import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../client/src/index.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import { type ConsoleBrowser, startConsoleBrowser } from '../../tests/support/console.ts'

const installed = hasBrowser('changes of all that match are not tested')

describe.skipIf(!installed)('what is done to all that match in a browser', () => {
  let console: ConsoleBrowser
  let person: Awaited<ReturnType<ConsoleBrowser['signIn']>>
  let client: Client

  beforeAll(async () => {
    console = await startConsoleBrowser()
    person = await console.signIn()
    const getToken = async () => (await person.console.post(`/stores/${console.store}/token`)).body.data
    client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
  })

  const collect = async <Row>(list: AsyncIterable<Row>) => {
    const found: Row[] = []
    for await (const row of list) found.push(row)
    return found
  }

  /** Opens the dialog for the first row and asks for all that match. */
  const openForAll = async (address: string, row: string, button: string) => {
    const { page } = person
    await page.goto(console.home + address)
    await page.locator(row).first().locator('input[type=checkbox]').check()
    await page.getByLabel('1 selected').getByRole('button', { name: button }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('select', { has: page.locator('option[value=all]') }).selectOption('all')
    return dialog
  }

  test('all waiting reviews are published, beyond the first page, and wait again after undo', async () => {
    const { page } = person
    const waiting = async () => (await collect(client.reviews.all({ status: 'pending' }))).map(({ id }) => id).sort()
    const { products } = await client.products.list({ page_size: 1 })
    const product_id = products[0]?.id as string
    for (let n = 0; n < 25; n++)
      await client.reviews.create({ product_id, rating: 5, content: `Fine ${n}`, reviewer_name: `Amel ${n}` })
    const before = await waiting()
    const dialog = await openForAll('/reviews', 'main li[id^=review]', 'Change…')
    await dialog.getByText(`${before.length} of ${before.length} will change.`).waitFor()
    await dialog.getByRole('button', { name: `Change ${before.length} reviews` }).click()
    await page.getByText(`${before.length} reviews changed`).waitFor()
    expect(await waiting()).toEqual([])
    await page.getByText('No review is waiting').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(`${before.length} reviews are as before`).waitFor()
    expect(await waiting()).toEqual(before)
    expect(person.wrong.splice(0)).toEqual([])
  })

  test('all bundles that match are taken from sale once, although the answer is lost, and offered again after undo', async () => {
    const { page } = person
    const { products } = await client.products.list({ page_size: 1 })
    const product_id = products[0]?.id as string
    for (const n of [1, 2, 3])
      await client.bundles.create({ product_id, name: `Pair ${n}`, options: [{ name: 'Two', quantity: 2, price: 9 }] })
    const active = async () => (await collect(client.bundles.all({ status: 'active' }))).map(({ id }) => id).sort()
    const before = await active()
    const dialog = await openForAll('/bundles?status=active', 'main tbody tr', 'Change…')
    const act = dialog.getByRole('button', { name: `Change ${before.length} bundles` })
    await page.route('**/apps/v1/bulk?*', async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    await act.click()
    await dialog.getByText('No answer came from the service').waitFor()
    await page.unroute('**/apps/v1/bulk?*')
    await act.click()
    await page.getByText(`${before.length} bundles changed`).waitFor()
    expect(await active()).toEqual([])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(`${before.length} bundles are as before`).waitFor()
    expect(await active()).toEqual(before)
    expect(person.wrong.splice(0).filter((text) => !/ERR_/.test(text))).toEqual([])
  })

  test('all landing pages become drafts, and undo publishes them since the same moment', async () => {
    const { page } = person
    const { products } = await client.products.list({ page_size: 1 })
    const product_id = products[0]?.id as string
    for (const n of [1, 2]) {
      const { id } = await client.landingPages.create({ product_id, title: `Sale ${n}` })
      await client.landingPages.publish(id)
    }
    const published = async () =>
      (await collect(client.landingPages.all())).map(({ id, published_at }) => `${id} ${published_at}`).sort()
    const before = await published()
    const affected = before.filter((line) => !line.endsWith('null')).length
    const dialog = await openForAll('/landing-pages', 'main tbody tr', 'Change…')
    await dialog.getByLabel('What to change').selectOption('unpublish')
    await dialog.getByText(`${affected} of ${before.length} will change.`).waitFor()
    await dialog.getByRole('button', { name: `Change ${affected} landing pages` }).click()
    await page.getByText(`${affected} landing pages changed`).waitFor()
    expect((await published()).every((line) => line.endsWith('null'))).toBe(true)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(`${affected} landing pages are as before`).waitFor()
    expect(await published()).toEqual(before)

    // One page alone.
    const [first] = before.filter((line) => !line.endsWith('null'))
    await page.goto(`${console.home}/landing-pages/${first?.split(' ')[0]}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Unpublish' }).click()
    await page.getByText('It is a draft again').waitFor()
    await page.getByRole('button', { name: 'Publish' }).waitFor()
    expect(person.wrong.splice(0)).toEqual([])
  })

  test('the cash of all parcels that match is received, in as many calls as it takes, and taken back', async () => {
    const { page } = person
    const owing = async () => (await collect(client.parcels.all({ cash: 'owed' }))).map(({ id }) => id).sort()
    const delivered = new Set((await collect(client.parcels.all({ state: ['delivered'] }))).map((row) => row.order_id))
    const lines = [...delivered].slice(0, 230).map((id) => ({ id, status: 'pending' }))
    const unpaid = await client.bulk.create(lines, { resource: 'order', mode: 'update', match: 'id' })
    await client.bulk.finished(unpaid.id)
    const before = await owing()
    expect(before.length).toBeGreaterThan(200)
    const calls: number[] = []
    page.on('request', (request) => {
      if (/\/parcel\/cash$/.test(request.url()) && request.method() === 'POST')
        calls.push(JSON.parse(request.postData() ?? '{}').parcel_ids.length)
    })
    const dialog = await openForAll('/deliveries/list?cash=owed', 'main tbody tr', 'Cash received')
    await dialog.getByRole('heading', { name: `for ${before.length} deliveries?` }).waitFor()
    await dialog.getByRole('button', { name: 'Cash received' }).click()
    await page.getByText(`Cash of ${before.length} deliveries received`).waitFor()
    expect(await owing()).toEqual([])
    expect(calls.length).toBe(Math.ceil(before.length / 200))
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The carrier owes this cash again.').waitFor()
    expect(await owing()).toEqual(before)
    expect(person.wrong.splice(0)).toEqual([])
  })

  test('of the customers, the selected ones or all that match are exported', async () => {
    const { page } = person
    const names = async (choose: 'all' | '') => {
      await page.goto(`${console.home}/customers?search=trabelsi`)
      await page.locator('main tbody tr').first().locator('input').check()
      await page.getByLabel('1 selected').getByRole('button', { name: 'Export' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Which customers').selectOption(choose)
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('button', { name: 'Download' }).click(),
      ])
      const parts: Buffer[] = []
      for await (const part of await file.createReadStream()) parts.push(part as Buffer)
      return Buffer.concat(parts).toString().trim().split('\r\n').length - 1
    }
    const { pagination } = await client.customers.list({ search: 'trabelsi', page_size: 1 })
    expect(await names('')).toBe(1)
    expect(await names('all')).toBe(pagination.total)
    expect(person.wrong.splice(0)).toEqual([])
  })

  test('all orders that match are printed, a hundred at a time', async () => {
    const { page } = person
    const { pagination } = await client.orders.list({ status: 'paid', page_size: 1 })
    const total = pagination.total ?? 0
    expect(total).toBeGreaterThan(100)
    await page.goto(`${console.home}/orders?status=paid`)
    await page.locator('main tbody tr').first().locator('input').check()
    await page.getByLabel('1 selected').getByRole('button', { name: 'Packing list' }).click()
    await expect.poll(() => page.locator('article').count()).toBe(1)
    await page.getByLabel('What to print').selectOption('invoice')
    const all = `All that match the filters: ${total.toLocaleString('en')}`
    await page.getByLabel('Which orders').selectOption({ label: all })
    await expect.poll(() => page.locator('article').count()).toBe(100)
    const first = await page.locator('article').first().innerText()
    await page.getByRole('link', { name: 'Next page' }).click()
    await expect.poll(() => page.locator('article').first().innerText()).not.toBe(first)
    await page.getByText(`101–${Math.min(200, total)} of ${total.toLocaleString('en')}`).waitFor()
    expect(await page.locator('article').count()).toBe(Math.min(100, total - 100))
    expect(person.wrong.splice(0)).toEqual([])
  })

  test('shift selects up to the row that was selected on this page, not on the page before', async () => {
    const { page } = person
    const box = (place: number) => page.locator('main tbody tr').nth(place).locator('input')
    await page.goto(`${console.home}/customers`)
    await box(5).check()
    await page.getByRole('link', { name: 'Next page' }).click()
    await expect.poll(() => box(5).isChecked()).toBe(false)
    await box(8).click({ modifiers: ['Shift'] })
    await page.getByLabel('2 selected').waitFor()
    await box(10).click({ modifiers: ['Shift'] })
    await page.getByLabel('4 selected').waitFor()
    expect(person.wrong.splice(0)).toEqual([])
  })
})
