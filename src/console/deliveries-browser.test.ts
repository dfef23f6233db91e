import { describe, expect, test } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import { accessibilityFaults, startConsoleBrowser } from '../../tests/support/console.ts'

const installed = hasBrowser('the deliveries of the console are not tested')

describe.skipIf(!installed)('deliveries in a browser', () => {
  test('the results of a carrier are imported once, and its cash is received and taken back', async () => {
    const console = await startConsoleBrowser()
    const person = await console.signIn()
    const { page } = person
    const getToken = async () => (await person.console.post(`/stores/${console.store}/token`)).body.data
    const client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
    const [carrier] = await client.carriers.list()
    const { products } = await client.products.list({ page_size: 50, status: 'active' })
    const product = products.find(({ is_digital, default: only }) => !is_digital && (only?.quantity ?? 0) > 10)
    const send = async (tracking_number: string) => {
      const order = await client.orders.create({
        customer_first_name: 'Amel',
        customer_phone: '20123456',
        variants: [{ variant_id: product?.default?.id as string, quantity: 1 }],
      })
      const shipped = { status: 'shipped', tracking_number, shipping_carrier: carrier?.id as string } as const
      await client.orders.updateDelivery(order.deliveries[0]?.id as string, shipped)
      return order
    }
    const [kept, back, owed] = [await send('PX-1'), await send('PX-2'), await send('PX-3')]
    const look = (order: { id: string }) => client.orders.get(order.id)

    await page.setViewportSize({ width: 390, height: 844 })
    const home = `${console.site}/console/s/${console.store}`
    await page.goto(`${home}/deliveries/import`)
    const rows = ['PX-1;Livré', 'px-2;Retourné', 'PX-3;Chez le client', 'PX-9;Livré', 'PX-1;Retourné', ';Livré']
    await page.locator('input[type=file]').setInputFiles({
      name: 'carrier.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['N° de suivi;Statut', ...rows].join('\r\n')),
    })
    // Two of the three words are known.
    await page.getByLabel('Meaning of Chez le client').waitFor()
    expect(await page.getByLabel('Meaning of Livré').inputValue()).toBe('delivered')
    expect(await page.getByLabel('Meaning of Retourné').inputValue()).toBe('returned')
    expect(await page.getByLabel('Meaning of Chez le client').inputValue()).toBe('')
    await page.getByLabel('Meaning of Chez le client').selectOption('delivered')
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Check the file' }).click()
    const apply = page.getByRole('button', { name: 'Apply 3 rows' })
    await apply.waitFor()
    await page.getByText('2 rows have a problem').waitFor()
    await page.getByText('No delivery has this tracking number.').waitFor()
    await page.getByText('Another row says something else about this delivery.').waitFor()
    expect((await look(back)).returns).toEqual([])

    // The answer is lost: what was applied is not applied again.
    await page.route('**/parcel/result', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await apply.click()
    await page.getByText('Not all rows were applied.').waitFor()
    await page.unroute('**/parcel/result')
    await apply.click()
    await page.getByRole('heading', { name: 'Applied' }).waitFor()
    await page.getByText('3 deliveries change').waitFor()
    expect((await look(back)).returns).toHaveLength(1)
    expect((await look(kept)).deliveries[0]?.status).toBe('delivered')

    await page.goto(`${home}/deliveries`)
    await page.getByRole('link', { name: `${carrier?.name}, Returned: ` }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.goto(`${home}/deliveries/list?cash=owed&carrier_id=${carrier?.id}`)
    await page.getByRole('checkbox', { name: new RegExp(kept.ref) }).check()
    await page.getByRole('checkbox', { name: new RegExp(owed.ref) }).check()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Cash received' }).click()
    await page.getByLabel('Reference of the transfer').fill('T-7')
    await page.locator('dialog').getByRole('button', { name: 'Cash received' }).click()
    await page.getByText('Cash of 2 deliveries received').waitFor()
    expect(await look(kept)).toMatchObject({ status: 'paid' })
    expect(await look(owed)).toMatchObject({ status: 'paid' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The carrier owes this cash again.').waitFor()
    expect(await look(kept)).toMatchObject({ status: 'pending' })
    const tooWide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
    expect(tooWide).toBe(false)
    // The browser reports the answer that was lost.
    expect(person.wrong.filter((line) => !/parcel\/result|ERR_FAILED/.test(String(line)))).toEqual([])
  }, 180_000)
})
