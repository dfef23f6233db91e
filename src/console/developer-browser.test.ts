import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../tests/support/browser.ts'
import { type ConsoleBrowser, startConsoleBrowser } from '../../tests/support/console.ts'
import { addAppWithCalls } from '../../tests/support/service-views.ts'
import { createInstallation } from '../resources/auth/create-installation.ts'
import { createStore } from '../resources/stores/create-store.ts'

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

  test('a call of the log is tried again in the playground, and the errors of the server stand beside the body', async () => {
    const { page, wrong, context } = developer
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${console.site}/console/apps/${app.id}/log/${app.request}`)
    await page.getByRole('link', { name: 'Open in the playground' }).click()
    const main = page.locator('main')
    const body = main.getByLabel('Body (JSON)')
    await expect.poll(() => body.inputValue()).toContain('"title"')
    const products = async () =>
      console.db.selectFrom('product').select('title').where('store_id', '=', console.store).execute()
    const before = await products()

    // The recorded example, by keyboard: a dry run.
    await body.press('Control+Enter')
    await main.getByText('Dry run: nothing was changed').waitFor()
    expect(await main.getByRole('status').last().innerText()).toContain('201')
    expect(await products()).toEqual(before)
    const { id: installation } = await console.db
      .selectFrom('installation')
      .select('id')
      .where('app_id', '=', app.id)
      .executeTakeFirstOrThrow()
    await main.getByText('What the token says').click()
    await main.locator('details dl').getByText(installation).waitFor()

    await body.fill('{\n  "title": "Tray",\n  "price": -1\n')
    await body.press('Control+Enter')
    await main.getByText('This is not JSON from line 4 on.').waitFor()
    await body.fill('{\n  "title": "Tray",\n  "price": -1\n}')
    await main.getByRole('button', { name: 'Try it' }).click()
    await main.getByRole('button', { name: 'Line 3 · price' }).click()
    const selected =
      '(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)'
    expect(await page.evaluate(selected)).toBe('-1')

    // In the demo store, nobody is asked.
    await page.keyboard.type('7')
    await main.getByLabel('Really do it').check()
    await main.getByRole('button', { name: 'Really send' }).click()
    await main.getByText('It was really done').waitFor()
    expect((await products()).length).toBe(before.length + 1)
    await main.getByRole('button', { name: 'fetch', exact: true }).click()
    await main.getByRole('button', { name: 'Copy', exact: true }).click()
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
    await expect.poll(copied).toContain('process.env.TOKEN')
    expect(await copied()).toContain('"price": 7')
    expect(await copied()).not.toContain('eyJ')
    await main.getByLabel('With the token').check()
    await main.getByRole('button', { name: 'Copy', exact: true }).click()
    await expect.poll(copied).toMatch(/Bearer eyJ[\w.-]+'/)

    // A new generation of the secret ends the token: the call gets another one.
    await console.db.updateTable('app').set({ generation: 2 }).where('id', '=', app.id).execute()
    await main.getByRole('button', { name: 'Really send' }).click()
    await expect.poll(async () => (await products()).length).toBe(before.length + 2)
    await main.locator('details dl').getByText('2', { exact: true }).waitFor()

    await console.server.services.calls.flush()
    await main.getByRole('link', { name: 'Line of the log' }).click()
    await main.getByText('201', { exact: true }).waitFor()
    await page.goBack()
    await expect.poll(() => body.inputValue()).toContain('"price": 7')
    expect(page.url()).not.toMatch(/eyJ|Tray/)
    expect(wrong.splice(0).filter((text) => !/status of (401|422)/.test(text))).toEqual([])
  })

  test('operations are found by their words, and a store that is no demo is changed only after a question', async () => {
    const { page, wrong } = developer
    const { db } = console
    const shop = await createStore(db, { name: 'Real shop' })
    await createInstallation(db, app.client_id, shop.id, ['product:view', 'product:create'])
    await page.goto(`${console.site}/console/apps/${app.id}/playground`)
    const main = page.locator('main')
    await main.getByLabel('Store').selectOption('Real shop')
    await main.getByLabel('Find an operation').fill('create product')
    await page.keyboard.press('Tab')
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toContain('POST /product')
    await expect.poll(() => page.url()).toContain('search=create+product')
    await page.keyboard.press('Enter')
    await main.getByLabel('Body (JSON)').fill('{"title":"Only once"}')
    await main.getByLabel('Really do it').click()
    const dialog = page.locator('dialog')
    expect(await dialog.innerText()).toContain('Really change Real shop?')
    await page.keyboard.press('Escape')
    expect(await main.getByLabel('Really do it').isChecked()).toBe(false)
    await main.getByLabel('Really do it').click()
    await dialog.getByRole('button', { name: 'Really do it' }).click()
    await main.getByRole('button', { name: 'Really send' }).click()
    await main.getByText('It was really done').waitFor()
    const rows = await db.selectFrom('product').select('title').where('store_id', '=', shop.id).execute()
    expect(rows).toEqual([{ title: 'Only once' }])

    // Ids of the demo store are no examples here, and a link holds what was filled in.
    await page.goto(`${console.site}/console/apps/${app.id}/playground?store=${shop.id}&call=GET+/product/{id}`)
    await main.getByRole('button', { name: 'Send' }).click()
    await main.getByText('Fill this in.').waitFor()
    const missing = randomUUID()
    await page.keyboard.type(missing)
    await page.keyboard.press('Enter')
    await main.getByText('404', { exact: true }).waitFor()
    await expect.poll(() => page.url()).toContain(`path.id=${missing}`)
    await page.reload()
    await expect.poll(() => main.getByLabel('id · required').inputValue()).toBe(missing)

    // Another store never takes the place of the one in the link.
    await page.goto(`${console.site}/console/apps/${app.id}/playground?store=${missing}&call=POST+/product`)
    await main.getByText('The app is not installed on this store').waitFor()
    expect(await main.locator('form').count()).toBe(0)
    expect(wrong.splice(0).filter((text) => !/status of 404/.test(text))).toEqual([])
  })

  test('another app is said not to exist', async () => {
    const other = await addAppWithCalls(console)
    const reply = await developer.console.get(`/apps/${other.id}/calls`)
    expect([reply.status, reply.body.code]).toEqual([404, 'not_found'])
  })
})
