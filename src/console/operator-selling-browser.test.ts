import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { manifestOf } from '../../tests/support/apps.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import { accessibilityFaults, type ConsoleBrowser, startConsoleBrowser, tooWide } from '../../tests/support/console.ts'
import { transact } from '../core/storage/database.ts'
import type { StoreId } from '../core/storage/store-id.ts'
import type { Limits } from '../resources/plans/limit-names.ts'
import { createPlan } from '../resources/plans/manage-plans.ts'
import { choosePlan } from '../resources/plans/switch-plan.ts'
import { countUse } from '../resources/plans/use.ts'

const installed = hasBrowser('apps, plans and invoices of operators are not tested')

describe.skipIf(!installed)('apps, plans and invoices of operators', () => {
  let console: ConsoleBrowser
  let page: Page
  let wrong: string[]

  beforeAll(async () => {
    console = await startConsoleBrowser()
    ;({ page, wrong } = await console.signIn())
  })

  const row = (text: string) => page.locator('main li').filter({ hasText: text })
  const dialog = () => page.getByRole('dialog')
  const confirm = (name: string) => dialog().getByRole('button', { name, exact: true }).click()
  const act = async (on: string, item: string) => {
    await row(on)
      .getByRole('button', { name: /^More actions/ })
      .click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  const acts = async () =>
    (
      await console.db
        .selectFrom('audit_entry')
        .select('act')
        .where((eb) => eb.or([eb('act', 'like', '%app'), eb('act', 'like', '%plan'), eb('act', 'like', '%invoice')]))
        .orderBy('at')
        .orderBy('id')
        .execute()
    ).map(({ act }) => act)
  const fits = async () => {
    expect(await accessibilityFaults(page)).toEqual([])
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await tooWide(page), `${width} px`).toEqual([])
    }
    await page.setViewportSize({ width: 1440, height: 900 })
  }

  test('an app is registered from a file, listed no longer, given a secret and switched off', async () => {
    await page.goto(`${console.site}/console/apps`)
    await page.getByRole('heading', { level: 1, name: 'All apps' }).waitFor()
    const manifest = await manifestOf({ name: 'Shelf Counter' })
    const give = (content: string) =>
      dialog()
        .getByLabel('File with the manifest')
        .setInputFiles({ name: 'app.json', mimeType: 'application/json', buffer: Buffer.from(content) })
    await page.getByRole('button', { name: 'Register app' }).click()
    await dialog().getByLabel('Manifest', { exact: true }).selectOption('file')
    await give(JSON.stringify({ ...manifest, permissions: { required: ['shop:burn'], optional: [] } }))
    await confirm('Register app')
    // What is wrong with it is named.
    await dialog()
      .getByText(/permissions/)
      .first()
      .waitFor()
    await fits()
    await give(JSON.stringify(manifest))
    await confirm('Register app')
    const secret = await dialog().getByLabel('Client secret', { exact: true }).inputValue()
    expect(secret.length).toBeGreaterThan(20)
    const client = await dialog().getByLabel('Client ID', { exact: true }).inputValue()
    const appOf = () =>
      console.db
        .selectFrom('app as a')
        .innerJoin('app_manifest as m', 'm.app_id', 'a.id')
        .select(['a.name', 'm.listing', 'a.disabled_at', 'a.old_secret_until'])
        .where('a.client_id', '=', client)
        .executeTakeFirstOrThrow()
    await fits()
    await dialog().getByRole('button', { name: 'Close' }).last().click()
    expect(await appOf()).toMatchObject({ name: 'Shelf Counter', listing: 'listed', disabled_at: null })

    await row('Shelf Counter').getByText('Listed', { exact: true }).waitFor()
    await fits()
    await act('Shelf Counter', 'List no longer')
    await row('Shelf Counter').getByText('By link only').waitFor()
    await act('Shelf Counter', 'Read manifest again')
    await give(JSON.stringify({ ...manifest, developer: 'Shelf & Sons' }))
    await confirm('Read manifest again')
    await row('Shelf Counter').getByText('Shelf & Sons').waitFor()
    await act('Shelf Counter', 'New secret')
    await confirm('New secret')
    expect(await dialog().getByLabel('Client secret', { exact: true }).inputValue()).not.toBe(secret)
    await dialog().getByRole('button', { name: 'Close' }).last().click()
    expect((await appOf()).old_secret_until?.getTime()).toBeGreaterThan(Date.now())
    await act('Shelf Counter', 'Switch off')
    await confirm('Switch off')
    await row('Shelf Counter').getByText('Switched off').waitFor()
    expect(await appOf()).toMatchObject({ listing: 'unlisted', disabled_at: expect.any(Date) })
    await act('Shelf Counter', 'Switch on')
    await row('Shelf Counter').getByText('By link only').waitFor()
    expect((await acts()).filter((act) => act.endsWith('app'))).toEqual([
      'register_app',
      'update_app',
      'refresh_app',
      'update_app',
      'update_app',
    ])
    expect(wrong.splice(0).filter((text) => !/status of 422/.test(text))).toEqual([])
  })

  test('a plan is created and changed, and wrong values are shown at their fields', async () => {
    await page.goto(`${console.site}/console/plans`)
    await page.getByRole('button', { name: 'New plan' }).click()
    await dialog().getByLabel('Name').fill('Pro')
    await dialog().getByLabel('Price of a period').fill('49.5')
    await dialog().getByLabel('Currency').fill('TNX')
    await dialog().getByLabel('Products').fill('many')
    await confirm('Save')
    await dialog()
      .getByText(/Enter a number from 0/)
      .waitFor()
    await dialog().getByLabel('Products').fill('5000')
    await dialog().getByLabel('Storage in MB').fill('2048')
    await confirm('Save')
    await dialog().getByText('ISO 4217').waitFor()
    await fits()
    await dialog().getByLabel('Currency').fill('tnd')
    await confirm('Save')
    await row('Pro').getByText('5,000').waitFor()
    await row('Pro').getByText('2 GB').waitFor()
    await fits()
    await row('Pro').getByRole('button', { name: 'Change plan' }).click()
    await dialog().getByLabel('Products').fill('')
    await dialog().getByLabel('On offer').uncheck()
    await confirm('Save')
    await row('Pro').getByText('No longer on offer').waitFor()
    const plan = await console.db.selectFrom('plan').selectAll().where('name', '=', 'Pro').executeTakeFirstOrThrow()
    expect(plan).toMatchObject({ currency: 'TND', is_offered: false, limits: { storage: 2048 * 1024 ** 2 } })
    expect((plan.limits as object) && Number(plan.price)).toBe(49.5)
    expect((await acts()).slice(-2)).toEqual(['create_plan', 'update_plan'])
    expect(wrong.splice(0).filter((text) => !/status of 422/.test(text))).toEqual([])
  })

  test('an invoice is marked as paid with its reference, and another is void', async () => {
    const { db, server } = console
    const choose = async (name: string, price: number) => {
      const plan = await createPlan(db, { name, price, currency: 'TND' })
      await transact(db, (db) => choosePlan(db, server.services.config, console.store as StoreId, plan.id))
    }
    await choose('Small', 30)
    await choose('Large', 90)
    const [first, second] = await db.selectFrom('invoice').select(['id', 'number']).orderBy('number').execute()
    await page.goto(`${console.site}/console/invoices`)
    await row(`Invoice ${first?.number}`).waitFor()
    await fits()
    await page.getByRole('button', { name: `Mark as paid: ${first?.number}`, exact: true }).click()
    await dialog().getByLabel('Reference of the payment').fill('Transfer 77')
    await confirm('Mark as paid')
    await row(`Invoice ${first?.number}`).getByText('Paid', { exact: true }).waitFor()
    await page.getByRole('button', { name: `Void: ${second?.number}`, exact: true }).click()
    await confirm('Void')
    await row(`Invoice ${second?.number}`).getByText('Void', { exact: true }).waitFor()
    const rows = await db.selectFrom('invoice').select(['status', 'reference']).orderBy('number').execute()
    expect(rows).toEqual([
      { status: 'paid', reference: 'Transfer 77' },
      { status: 'void', reference: null },
    ])
    expect((await acts()).slice(-2)).toEqual(['pay_invoice', 'void_invoice'])
    expect(wrong.splice(0)).toEqual([])
  })

  test('a merchant sees what is used up, switches plans knowing the amount, and prints and pays the invoice', async () => {
    const { db, server, store, home } = console
    const use = (name: 'products' | 'storage') => countUse(db, store as StoreId, name)
    const plan = (name: string, price: number, limits: object) =>
      createPlan(db, { name, price, currency: 'TND', limits: limits as Limits })
    const products = await use('products')
    const tight = await plan('Tight', 200, { products, storage: Math.floor((await use('storage')) / 0.9) })
    await plan('Roomy', 300, {})
    await plan('Tiny', 5, { products: 1 })
    await transact(db, (db) => choosePlan(db, server.services.config, store as StoreId, tight.id))

    await page.goto(`${home}/plan`)
    await row('Products').filter({ hasText: 'Used up' }).waitFor()
    await row('Storage').filter({ hasText: 'Nearly used up' }).waitFor()
    await page.getByRole('button', { name: 'Switch Tiny' }).click()
    await dialog().getByText(`The plan of the store has no room for this. Products: ${products} of 1`).waitFor()
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Switch Roomy' }).click()
    await dialog().getByText('The plan changes at once.').waitFor()
    await dialog()
      .getByText(/100\.000/)
      .waitFor()
    await confirm('Switch')
    await row('Roomy').getByText('Current plan').waitFor()
    const invoice = await db
      .selectFrom('invoice')
      .select(['id', 'number', 'total'])
      .where('store_id', '=', store)
      .orderBy('number', 'desc')
      .executeTakeFirstOrThrow()
    expect(Number(invoice.total)).toBeCloseTo(100, 1)

    Object.assign(server.services.config, {
      BILLING_URL: 'https://pay.example/?invoice={invoice}&amount={amount}&signature={signature}',
      BILLING_SECRET: 'the secret of the payment page',
    })
    await page.route('https://pay.example/**', (route) => route.fulfill({ body: 'Pay here' }))
    await page.getByRole('link', { name: `Invoice ${invoice.number}` }).click()
    await page.getByRole('heading', { level: 1, name: `Invoice ${invoice.number}` }).waitFor()
    await page.getByRole('row', { name: /Tight, unused/ }).waitFor()
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('button', { name: 'Pay' }).count()).toBe(0)
    expect(await page.locator('article').getByText('Roomy, rest of the period').isVisible()).toBe(true)
    await page.emulateMedia({ media: null })
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await page.getByText('Pay here').waitFor()
    expect(page.url()).toMatch(
      new RegExp(
        `^https://pay\\.example/\\?invoice=${invoice.id}&amount=${Number(invoice.total)}&signature=[0-9a-f]{64}$`,
      ),
    )
    wrong.splice(0)
  })
})
