import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../tests/support/browser.ts'
import { addPerson, type ConsoleBrowser, startConsoleBrowser } from '../../tests/support/console.ts'

const installed = hasBrowser('the pages of operators are not tested')

describe.skipIf(!installed)('the pages of operators', () => {
  let console: ConsoleBrowser
  let page: Page
  let wrong: string[]

  beforeAll(async () => {
    console = await startConsoleBrowser()
    const person = await console.signIn()
    page = person.page
    wrong = person.wrong
  })

  const row = (text: string) => page.locator('main li').filter({ hasText: text })
  const act = async (on: string, item: string | RegExp) => {
    await row(on)
      .getByRole('button', { name: /^More actions/ })
      .click()
    await page.getByRole('menuitem', { name: item }).click()
  }

  test('create a store, suspend and resume it, and remove it after its name was typed', async () => {
    await page.goto(`${console.site}/console/stores`)
    await page.getByRole('button', { name: 'New store' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Olive & Thyme')
    await page.getByLabel('Currency').fill('TNX')
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    await page.getByRole('dialog').getByText('must be a code of ISO 4217').waitFor()
    await page.getByLabel('Currency').fill('TND')
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    await page.getByText('Store created').waitFor()
    await act('Olive & Thyme', 'Suspend')
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
    await row('Olive & Thyme').getByText('Suspended').waitFor()
    // The toast takes it back.
    await page.getByRole('status').getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Store resumed').waitFor()
    await expect.poll(() => row('Olive & Thyme').getByText('Suspended', { exact: true }).count()).toBe(0)
    await act('Olive & Thyme', 'Remove')
    await page.getByText('0 products').waitFor()
    await page.getByLabel('Type Olive & Thyme to confirm').fill('Olive')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('exactly as it is written').waitFor()
    await page.getByLabel('Type Olive & Thyme to confirm').fill('Olive & Thyme')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => row('Olive & Thyme').count()).toBe(0)
    expect(await console.db.selectFrom('store').select('id').where('name', '=', 'Olive & Thyme').execute()).toEqual([])
    expect(wrong.splice(0).filter((text) => !/status of 422/.test(text))).toEqual([])
  })

  test('a suspended store says so to its owner, who changes nothing', async () => {
    const owner = await console.signIn({ grants: [{ role: 'owner', store: console.store }] })
    const operator = await addPerson({ app: console.server.app, origin: console.site, db: console.db })
    await operator.console.post(`/operator/stores/${console.store}/suspend`)
    await owner.page.goto(`${console.home}/categories`)
    await owner.page.getByText('This store is suspended').first().waitFor()
    await owner.page.locator('main li a').first().waitFor()
    await owner.page.getByRole('button', { name: 'Add category' }).click()
    await owner.page.getByRole('dialog').getByRole('textbox').fill('Rugs')
    await owner.page.getByRole('dialog').locator('button[type=submit]').click()
    await owner.page.getByRole('dialog').getByText('This store is suspended').waitFor()
    await operator.console.post(`/operator/stores/${console.store}/resume`)
    await owner.page.goto(`${console.site}/console/stores`)
    await owner.page.getByText('There is nothing here.').waitFor()
    expect(owner.wrong.filter((text) => !/status of 403/.test(text))).toEqual([])
    await owner.context.close()
  })

  test('a person is given a role, signed out everywhere and disabled; the audit log says who did it', async () => {
    const there = { app: console.server.app, origin: console.site, db: console.db }
    const permissions = ['order:view']
    const { email, console: theirs } = await addPerson(there, { role: 'staff', store: console.store, permissions })
    await page.goto(`${console.site}/console/people?search=${email}`)
    await act(email, 'Add or change a role')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Role').selectOption('owner')
    await dialog.getByLabel('Store').selectOption(console.store)
    await dialog.locator('button[type=submit]').click()
    await row(email).getByText('Owner:').waitFor()
    // A named role of the store, which the audit log names too.
    const other = await addPerson(there, { role: 'owner', store: console.store })
    const packers = { name: 'Packers', permissions: ['order:view'] }
    const { body } = await other.console.post(`/stores/${console.store}/roles`, packers)
    await act(email, 'Add or change a role')
    await dialog.getByLabel('Store').selectOption(console.store)
    await dialog.getByLabel('What they may do').selectOption(body.data.role.id)
    await dialog.locator('button[type=submit]').click()
    await row(email).getByText('Staff:').waitFor()
    await act(email, 'Sign out everywhere')
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click()
    await row(email).getByText('0 sessions').waitFor()
    expect((await theirs.get('/me')).status).toBe(401)
    await act(email, 'Link for a new password')
    expect(await dialog.getByLabel('Link', { exact: true }).inputValue()).toMatch(/\/console\/welcome#/)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await act(email, /^Take role away/)
    await dialog.getByRole('button', { name: 'Take role away' }).click()
    await row(email).getByText('No role').waitFor()
    await page.getByRole('link', { name: 'Audit log' }).click()
    await row('Role given').first().waitFor()
    await page.getByLabel('Action').selectOption('end_sessions')
    await row(email).first().waitFor()
    expect(page.url()).toContain('act=end_sessions')
    await page.goBack()
    await row('Link made').first().waitFor()
    expect(wrong.splice(0).filter((text) => !/status of (401|422)/.test(text))).toEqual([])
  })
})
