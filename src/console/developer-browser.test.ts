import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../tests/support/browser.ts'
import { type ConsoleBrowser, startConsoleBrowser } from '../../tests/support/console.ts'
import { addAppWithCalls } from '../../tests/support/service-views.ts'

const installed = hasBrowser('the pages of developers are not tested')

describe.skipIf(!installed)('the pages of a developer', () => {
  let console: ConsoleBrowser
  let app: Awaited<ReturnType<typeof addAppWithCalls>>
  let developer: Awaited<ReturnType<ConsoleBrowser['signIn']>>

  beforeAll(async () => {
    console = await startConsoleBrowser()
    app = await addAppWithCalls(console)
    developer = await console.signIn({ grants: [{ role: 'developer', app: app.client_id }] })
  })

  test('from a request id to the fields at fault, and filters stay in the address', async () => {
    const { page, wrong } = developer
    await page.goto(`${console.site}/console/`)
    await page.getByRole('link', { name: 'Delivery sync' }).click()
    await page.getByLabel('Request id').fill(app.request)
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    expect(page.url()).toContain(`request_id=${app.request}`)
    await page.locator('tbody a').first().click()
    const shown = page.locator('main')
    await shown.getByText('validation_failed').waitFor()
    expect(await shown.innerText()).toMatch(/price/)
    expect(await page.locator('pre').innerText()).toContain('curl -sS -X POST')
    await page.goBack()
    await expect.poll(() => page.getByLabel('Request id').inputValue()).toBe(app.request)
    await page.getByLabel('Request id').fill('')
    await expect.poll(() => page.locator('tbody tr').count()).toBeGreaterThan(3)
    await page.getByLabel('Status', { exact: true }).selectOption('4xx')
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2)
    expect(wrong).toEqual([])
  })

  test('a live log shows a new call by itself', async () => {
    const { page, wrong } = developer
    await page.goto(`${console.site}/console/apps/${app.id}/log?request_id=later&live=1`)
    await page.getByText('No call matches').waitFor()
    const { db } = console
    const installation = await db
      .selectFrom('installation')
      .select('id')
      .where('app_id', '=', app.id)
      .executeTakeFirstOrThrow()
    const { body } = await developer.console.post(`/apps/${app.id}/token`, { installation_id: installation.id })
    await fetch(`${console.site}/api/apps/v1/product`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${body.data.token}`,
        'x-request-id': 'later',
        'content-type': 'application/json',
      },
      body: '{"title":"Later"}',
    })
    await expect.poll(() => page.locator('tbody tr').count(), { timeout: 15_000 }).toBe(1)
    expect(wrong).toEqual([])
  })

  test('unused permissions are shown before they are revoked, and come back with one click', async () => {
    const { page, wrong } = developer
    await page.goto(`${console.site}/console/apps/${app.id}/permissions`)
    const permissions = async () =>
      (
        await console.db
          .selectFrom('installation')
          .select('permissions')
          .where('app_id', '=', app.id)
          .executeTakeFirstOrThrow()
      ).permissions
    await page.getByRole('button', { name: 'Revoke 1 unused' }).click()
    expect(await page.locator('dialog').innerText()).toContain('review:view')
    await page.locator('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await expect.poll(permissions).toEqual(['order:view', 'product:create'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(permissions).toEqual(['order:view', 'product:create', 'review:view'])
    expect(wrong).toEqual([])
  })

  test('errors and retries lead to their calls', async () => {
    const { page, wrong } = developer
    await page.goto(`${console.site}/console/apps/${app.id}/errors`)
    await page.getByRole('link', { name: 'forbidden' }).click()
    await expect.poll(() => page.url()).toContain('code=forbidden')
    await page.goto(`${console.site}/console/apps/${app.id}/retries`)
    await page.getByText('import-1').waitFor()
    expect(wrong).toEqual([])
  })

  test('a webhook is paused, resumed, tested, given a new secret, and its failed events are sent again', async () => {
    const { page, wrong } = developer
    await page.goto(`${console.site}/console/apps/${app.id}/webhooks?state=paused`)
    await page.getByText('No webhook is in this state').waitFor()
    await page.getByLabel('State').selectOption('')
    await page.getByRole('link', { name: 'receiver.invalid' }).click()
    const read = () =>
      console.db
        .selectFrom('webhook')
        .select(['state', 'generation'])
        .where('id', '=', app.webhook)
        .executeTakeFirstOrThrow()
    const main = page.locator('main')
    await main.getByText('Refused · 503').waitFor()
    await main.getByRole('button', { name: 'Pause' }).click()
    await main.getByText('Paused by the app').waitFor()
    expect((await read()).state).toBe('paused')
    await page.getByRole('button', { name: 'Undo' }).click()
    await main.getByRole('button', { name: 'Pause' }).waitFor()
    expect((await read()).state).toBe('on')
    await main.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('Not received: ').waitFor()

    await main.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Send all failed again' }).click()
    expect(await page.locator('dialog').innerText()).toContain('Send 1 failed event again?')
    await page.locator('dialog').getByRole('button', { name: 'Send again' }).click()
    await page.getByText('1 event is sent again').waitFor()

    await main.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'New secret' }).click()
    await page.locator('dialog').getByRole('button', { name: 'Make a new secret' }).click()
    await expect.poll(() => page.locator('dialog').getByLabel('Secret').inputValue()).toMatch(/^whsec_/)
    expect((await read()).generation).toBe(2)
    expect(wrong).toEqual([])
  })

  test('a change of the store appears among the events at once, and one event is shown with its data', async () => {
    const { page, wrong } = developer
    await page.goto(`${console.site}/console/apps/${app.id}/events?hours=720`)
    const main = page.locator('main')
    await main.locator('tbody tr').first().waitFor()
    await main.getByLabel('Type').selectOption('order.updated')
    await expect.poll(() => page.url()).toContain('types=order.updated')
    await main.getByText('Nothing has happened').or(main.locator('tbody tr').first()).first().waitFor()
    // Types that need a permission which the app lacks are not offered.
    expect(await main.getByLabel('Type').innerText()).not.toContain('customer.')
    const { id } = await console.db
      .selectFrom('orders')
      .select('id')
      .where('store_id', '=', console.store)
      .limit(1)
      .executeTakeFirstOrThrow()
    const operator = await console.signIn()
    const { body } = await operator.console.post(`/stores/${console.store}/token`)
    const changed = await fetch(`${console.site}/api/apps/v1/order/${id}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${body.data.token}`, 'content-type': 'application/json' },
      body: '{"meta_data":{"door":"Ring twice, please."}}',
    })
    expect(changed.status).toBe(200)
    await main.getByText('meta_data').first().waitFor()
    await main.getByRole('link', { name: 'order.updated' }).first().click()
    await main.locator('pre').last().getByText('Ring twice, please.').waitFor()
    expect(page.url()).toMatch(/\/events\/evt_\w+\?store=/)
    const acts = console.db.selectFrom('audit_entry').select('act').where('app_id', '=', app.id)
    expect((await acts.execute()).map(({ act }) => act)).toContain('app_token')
    expect(wrong).toEqual([])
  })

  test('another app is said not to exist', async () => {
    const other = await addAppWithCalls(console)
    const reply = await developer.console.get(`/apps/${other.id}/calls`)
    expect([reply.status, reply.body.code]).toEqual([404, 'not_found'])
  })
})
