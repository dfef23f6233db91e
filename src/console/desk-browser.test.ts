import { describe, expect, test } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import { accessibilityFaults, startConsoleBrowser } from '../../tests/support/console.ts'

const installed = hasBrowser('the order desk of the console is not tested')

describe.skipIf(!installed)('the order desk in a browser', () => {
  test('an order says what is known, takes a note, and a return is received', async () => {
    const console = await startConsoleBrowser()
    const person = await console.signIn()
    const { page } = person
    const getToken = async () => (await person.console.post(`/stores/${console.store}/token`)).body.data
    const client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
    const { orders } = await client.orders.list({
      delivery_status: ['delivered'],
      page_size: 50,
    })
    const order = orders.find(
      ({ returns, variants }) => returns.length === 0 && variants.some((line) => !line.is_digital),
    )
    if (!order) throw new Error('The demo store has no such order.')
    const line = order.variants.find(({ is_digital }) => !is_digital)
    await client.orders.return(order.id, { variants: [{ order_variant_id: line?.id as string, quantity: 1 }] })
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
    await page.getByRole('button', { name: 'Receive return' }).waitFor({ state: 'detached' })
    const after = await client.orders.get(order.id)
    expect(after.returns[0]?.delivery?.status).toBe('delivered')
    expect(after.history.some(({ note }) => note === 'Rings twice: <b>the bell</b> is broken.')).toBe(true)

    expect(await accessibilityFaults(page)).toEqual([])
    const tooWide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
    expect(tooWide).toBe(false)
    expect(person.wrong).toEqual([])
  }, 120_000)
})
