import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import { accessibilityFaults, startConsoleBrowser, tooWide } from '../../tests/support/console.ts'

const installed = hasBrowser('changes of many orders are not tested')

describe.skipIf(!installed)('changes of many orders in a browser', () => {
  test('all orders that match are marked as paid once, although the answer is lost, and are unpaid again after undo', async () => {
    const console = await startConsoleBrowser()
    const person = await console.signIn({ grants: [] })
    const { page } = person
    const getToken = async () => (await person.console.post(`/stores/${console.store}/token`)).body.data
    const client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
    const unpaid = async () => {
      const all = { is_archived: false, page_size: 200 } as const
      const { orders } = await client.orders.list({ ...all, status: ['pending'] })
      return orders.map(({ id, is_cancelled }) => `${id} ${is_cancelled}`).sort()
    }
    // More than one page of the list, one of them cancelled.
    for (let n = 0; n < 60; n++) await client.orders.create({ customer_first_name: `Many ${n}` })
    const [first] = (await client.orders.list({ status: ['pending'], is_cancelled: false })).orders
    await client.orders.update(first?.id as string, { is_cancelled: true })
    const before = await unpaid()
    const open = before.filter((line) => line.endsWith('false')).length
    const jobs = async () =>
      (await sql`select id from bulk_job where store_id = ${console.store} and resource = 'order'`.execute(console.db))
        .rows.length

    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${console.home}/orders?is_archived=false&status=pending`)
    await page.locator('tbody input[type=checkbox]').first().check()
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Which orders').selectOption('all')
    await dialog.getByText(`${open} of ${before.length} will change.`).waitFor()
    await dialog.getByText('Cancelled and abandoned orders stay as they are.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await tooWide(page)).toEqual([])
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/bulk-390.png` })

    await page.route('**/apps/v1/bulk?*', async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    const act = dialog.getByRole('button', { name: `Change ${open} orders` })
    await act.click()
    await dialog.getByText('No answer came from the service').waitFor()
    await page.unroute('**/apps/v1/bulk?*')
    await act.click()
    await page.getByText(`${open} orders changed`).waitFor()
    await dialog.waitFor({ state: 'detached' })
    expect(await jobs()).toBe(1)
    expect(await unpaid()).toEqual(before.filter((line) => line.endsWith('true')))

    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(`${open} orders are as before`).waitFor()
    expect(await unpaid()).toEqual(before)
    expect(person.wrong.filter((text) => !/ERR_/.test(text))).toEqual([])
  }, 180_000)
})
