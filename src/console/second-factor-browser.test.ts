import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../tests/support/browser.ts'
import {
  accessibilityFaults,
  addPerson,
  type ConsoleBrowser,
  PASSWORD,
  startConsoleBrowser,
  tooWide,
} from '../../tests/support/console.ts'
import { codeOf } from '../../tests/support/second-factor.ts'

const installed = hasBrowser('the second factor in the console is not tested')

describe.skipIf(!installed)('the second factor in the console', () => {
  let console: ConsoleBrowser

  beforeAll(async () => {
    console = await startConsoleBrowser()
  })

  test('an operator requires one, and a member of staff sets up an app and a passkey, and signs in with each', async () => {
    const { db, site, browser, server, store } = console
    const byName = site.replace('127.0.0.1', 'localhost')
    const operator = await console.signIn()
    const person = await addPerson(
      { app: server.app, origin: site, db },
      { role: 'staff', store, permissions: ['order:view'] },
    )

    // The operator needs one first.
    const { page: office } = operator
    await office.goto(`${site}/console/people`)
    const rule = office.getByLabel('Who must have a second factor')
    await rule.selectOption('everybody')
    await office.getByText('Set up a second factor for yourself first').waitFor()
    await office.goto(`${site}/console/me`)
    await office.getByText('Passkeys need an address with a host name').waitFor()
    await office.getByRole('button', { name: 'Set up an app' }).click()
    const setup = office.getByRole('dialog')
    const secretOf = async () => (await setup.locator('bdi').first().innerText()).replaceAll(/\s/g, '')
    await setup.getByLabel('Code that the app shows').fill('123')
    await setup.getByRole('button', { name: 'Finish' }).click()
    await setup.getByText('This code is wrong').waitFor()
    await setup.getByLabel('Code that the app shows').fill(codeOf(await secretOf()))
    await setup.getByRole('button', { name: 'Finish' }).click()
    await office.getByText('Keep these recovery codes').waitFor()
    expect(await office.getByRole('dialog').getByRole('listitem').count()).toBe(10)
    await office.getByRole('button', { name: 'I have kept them' }).click()
    await office.getByText('10 codes left').waitFor()
    await office.goto(`${site}/console/people`)
    await rule.selectOption('everybody')
    await office.getByText('Saved', { exact: true }).waitFor()
    await expect.poll(() => rule.inputValue()).toBe('everybody')

    // At an address with a name, as browsers have passkeys only there.
    const context = await browser.newContext({
      viewport: { width: 390, height: 800 },
      reducedMotion: 'reduce',
      locale: 'en',
    })
    const { page, wrong } = await console.newTab(context, /status of (401|403|422)/)
    const foreign = () => wrong.filter((text) => !text.startsWith(byName))
    const devtools = await context.newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: { protocol: 'ctap2', transport: 'internal', hasUserVerification: true, isUserVerified: true },
    })
    const signIn = async () => {
      await page.goto(`${byName}/console/sign-in`)
      await page.getByLabel('Email').fill(person.email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await signIn()
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
    await page.getByRole('button', { name: 'Set up an app' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel('Name of the passkey').inputValue()).toMatch(/^Chrome · /)
    await dialog.getByRole('button', { name: 'Add a passkey' }).click()
    const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
    await codes.first().waitFor()
    const [recovery = ''] = await codes.allInnerTexts()
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await tooWide(page)).toEqual([])
    await page.getByRole('button', { name: 'I have kept them' }).click()
    await page.waitForURL(new RegExp(`/console/s/${store}`))

    // The next sign-in asks for it: with the passkey, then with a recovery code.
    const signOut = () => context.clearCookies()
    await signOut()
    await page.evaluate('localStorage.clear()')
    await signIn()
    await page.getByRole('heading', { name: 'Your second factor' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL(new RegExp(`/console/s/${store}`))
    await page.goto(`${byName}/console/me`)
    await page.getByRole('button', { name: 'Set up an app' }).click()
    const secret = (await dialog.locator('bdi').first().innerText()).replaceAll(/\s/g, '')
    await dialog.getByLabel('Code that the app shows').fill(codeOf(secret))
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await tooWide(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Finish' }).click()
    await page.getByText('Shows a new code every 30 seconds').waitFor()

    // The session ends below an open page: the password, then the second factor over it, and the page goes on.
    await page.getByLabel('Name', { exact: true }).fill('Leïla')
    await db.deleteFrom('session').where('account_id', '=', person.id).execute()
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.getByLabel('Code').fill('000000')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByText('This code is wrong').waitFor()
    await dialog.getByLabel('Code').fill(recovery)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const { name } = await db.selectFrom('account').select('name').where('id', '=', person.id).executeTakeFirstOrThrow()
    expect(name).toBe('Leïla')
    await page.getByText('9 codes left').waitFor()

    // The operator sees where the person is signed in, and ends it.
    await office.goto(`${site}/console/people?search=${person.email}`)
    const row = office.locator('main li').filter({ hasText: person.email })
    await row.getByText('Second factor', { exact: true }).waitFor()
    const choose = async (item: string) => {
      await row.getByRole('button', { name: /^More actions/ }).click()
      await office.getByRole('menuitem', { name: item, exact: true }).click()
    }
    await choose('Sessions')
    await office
      .getByRole('dialog')
      .getByText(/^Chrome · /)
      .waitFor()
    expect(await accessibilityFaults(office)).toEqual([])
    await office.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).first().click()
    await office.getByText('End this session?').waitFor()
    await office.getByRole('dialog').last().getByRole('button', { name: 'End', exact: true }).click()
    await office.getByText('There are none.').waitFor()
    await office.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await choose('Clear second factor')
    await office.getByRole('dialog').getByRole('button', { name: 'Clear second factor' }).click()
    await expect.poll(() => row.getByText('Second factor', { exact: true }).count()).toBe(0)
    expect(foreign()).toEqual([])
    expect(operator.wrong.filter((text) => !/status of (403|422)/.test(text))).toEqual([])
  })
})
