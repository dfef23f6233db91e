import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { addRegisteredApp } from '../../tests/support/apps.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import { addPerson, type ConsoleBrowser, PASSWORD, startConsoleBrowser } from '../../tests/support/console.ts'
import { codeOf } from '../../tests/support/second-factor.ts'
import { addAppWithCalls } from '../../tests/support/service-views.ts'

const installed = hasBrowser('working without a mouse is not tested')

const PHONE = { width: 390, height: 800 }
/** More stops than any page has. */
const MANY = 150

/** What has the focus: its name, and whether a person sees that. */
const FOCUS = `(() => {
  const one = document.activeElement
  if (!one || one === document.body) return undefined
  const labels = [...(one.labels ?? [])].map(({ innerText }) => innerText)
  const name = one.getAttribute('aria-label') ?? ([...labels, one.innerText].find(Boolean) || '')
  const { outlineStyle, outlineWidth } = getComputedStyle(one)
  // The heading of a page that has just opened has the focus, and no mark: the page has changed in front of the reader.
  const isMarked = one.tagName === 'H1' || (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0)
  return { name: name.trim(), isMarked: isMarked || one.closest('[role=menu], dialog') !== null }
})()`

interface Focus {
  name: string
  isMarked: boolean
}

const focus = (page: Page) => page.evaluate<Focus | undefined>(FOCUS)

/** Goes on with Tab until something with this name has the focus, and sees on the way where it is. */
const tabTo = async (page: Page, name: RegExp) => {
  const passed: string[] = []
  for (let stop = 0; stop < MANY; stop++) {
    await page.keyboard.press('Tab')
    const found = await focus(page)
    if (!found) continue
    expect(found.isMarked, `nobody sees that ${found.name} has the focus`).toBe(true)
    if (name.test(found.name)) return
    passed.push(found.name)
  }
  throw new Error(`No way to ${name} by keyboard at ${page.url()}, only to ${[...new Set(passed)].join(', ')}`)
}

const press = async (page: Page, name: RegExp) => {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

/** Clicks and other uses of a pointer fail the test. */
const NO_POINTER = `for (const kind of ['pointerdown', 'mousedown', 'touchstart'])
  addEventListener(kind, (event) => { if (event.isTrusted) console.error('a pointer was used') }, true)`

describe.skipIf(!installed)('without a mouse', () => {
  let console: ConsoleBrowser

  beforeAll(async () => {
    console = await startConsoleBrowser()
  })

  const signIn = async (options: Parameters<ConsoleBrowser['signIn']>[0], size?: { width: number; height: number }) => {
    const person = await console.signIn(options, size)
    await person.page.addInitScript(NO_POINTER)
    return person
  }

  test('an app is installed with what it asks for, and uninstalled', async () => {
    const { db, server, store, home } = console
    const app = await addRegisteredApp(
      { db, services: server.services },
      { name: 'Shelf Counter', permissions: { required: ['product:view'], optional: ['order:view'] } },
    )
    const installation = () =>
      db
        .selectFrom('installation as i')
        .innerJoin('app as a', 'a.id', 'i.app_id')
        .select('i.permissions')
        .where('a.client_id', '=', app.client_id)
        .executeTakeFirst()
    const { page, wrong } = await signIn({ grants: [{ role: 'owner', store }] }, PHONE)
    await page.goto(`${home}/apps`)
    await page.getByRole('link', { name: 'Install: Shelf Counter' }).waitFor()
    await press(page, /^Install: Shelf Counter$/)
    await page.getByRole('heading', { name: 'Shelf Counter asks for access' }).waitFor()
    await tabTo(page, /^Orders/)
    await page.keyboard.press('Space')
    await press(page, /^Install$/)
    await page.getByText('Shelf Counter is installed').waitFor()
    expect((await installation())?.permissions).toEqual(['order:view', 'product:view'])
    await press(page, /^Uninstall$/)
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    // What destroys something is not what Enter does by itself.
    expect((await focus(page))?.name).toBe('Cancel')
    await page.keyboard.press('Escape')
    await expect.poll(async () => (await focus(page))?.name).toBe('Uninstall')
    await page.keyboard.press('Enter')
    await dialog.waitFor()
    await press(page, /^Uninstall$/)
    await expect.poll(installation).toBeUndefined()
    await page.getByText('Uninstalled').waitFor()
    expect(wrong).toEqual([])
  })

  test('a call that failed is found by its request id, explained, and tried again in the playground', async () => {
    const app = await addAppWithCalls(console)
    const { page, wrong } = await signIn({ grants: [{ role: 'developer', app: app.client_id }] })
    await page.goto(`${console.site}/console/developer`)
    await page.getByRole('link', { name: 'Delivery sync' }).waitFor()
    await press(page, /^Delivery sync$/)
    await page.getByLabel('Request id').waitFor()
    await tabTo(page, /^Request id$/)
    await page.keyboard.type(app.request)
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await press(page, new RegExp(`${app.request}|ago|now|:`))
    await page.getByText('validation_failed').waitFor()
    await press(page, /^Open in the playground$/)
    await page.getByLabel('Body (JSON)').waitFor()
    await tabTo(page, /^Body \(JSON\)/)
    await page.keyboard.press('Control+Enter')
    await page.getByText('Dry run: nothing was changed').waitFor()
    await press(page, /^Line of the log$/)
    await page.getByText('Copy as curl').waitFor()
    expect(wrong).toEqual([])
  })

  test('unused permissions are revoked and given back, and the store is asked for what was refused', async () => {
    const app = await addAppWithCalls(console)
    const { db, store, home, site } = console
    const permissions = async () =>
      (await db.selectFrom('installation').select('permissions').where('app_id', '=', app.id).executeTakeFirstOrThrow())
        .permissions
    const { page, wrong } = await signIn({ grants: [{ role: 'developer', app: app.client_id }] }, PHONE)
    await page.goto(`${site}/console/apps/${app.id}/permissions`)
    await page.getByRole('button', { name: 'Revoke 1 unused' }).waitFor()
    await press(page, /^Revoke 1 unused$/)
    await page.getByRole('dialog').waitFor()
    expect((await focus(page))?.name).toBe('Cancel')
    await press(page, /^Revoke$/)
    await expect.poll(permissions).toEqual(['order:view', 'product:create'])
    // For a day, also after the message has gone.
    await page.reload()
    await page.getByText('Revoked within a day').waitFor()
    await press(page, /^Give back: /)
    await expect.poll(permissions).toEqual(['order:view', 'product:create', 'review:view'])
    await page.getByText('Revoked within a day').waitFor({ state: 'detached' })

    await press(page, /^Ask for 1 refused: /)
    await page.getByRole('dialog').getByText('customer:view').waitFor()
    await press(page, /^Ask$/)
    await page.getByText('The store was asked').waitFor()
    await page.getByText('Asked for', { exact: true }).waitFor()

    const owner = await signIn({ grants: [{ role: 'owner', store }] }, PHONE)
    await owner.page.goto(`${home}/apps/${app.client_id}`)
    await owner.page.getByText('Wants more').waitFor()
    await owner.page.getByText('The app asks for more').waitFor()
    await press(owner.page, /^Grant$/)
    await owner.page.getByRole('dialog').waitFor()
    await press(owner.page, /^Grant$/)
    await owner.page.getByText('1 permission granted').waitFor()
    expect(await permissions()).toEqual(['customer:view', 'order:view', 'product:create', 'review:view'])
    await owner.page.getByText('The app asks for more').waitFor({ state: 'detached' })
    expect([...wrong, ...owner.wrong]).toEqual([])
  })

  test('a second factor is set up, its codes are kept, and new ones are made', async () => {
    const { site, store } = console
    const grants = [{ role: 'staff' as const, store, permissions: ['order:view'] }]
    const { page, wrong } = await signIn({ grants }, PHONE)
    await page.goto(`${site}/console/me`)
    await page.getByRole('button', { name: 'Set up an app' }).waitFor()
    await press(page, /^Set up an app$/)
    const dialog = page.getByRole('dialog')
    const secret = (await dialog.locator('bdi').first().innerText()).replaceAll(/\s/g, '')
    expect((await focus(page))?.name).toMatch(/^Code that the app shows/)
    await page.keyboard.type(codeOf(secret))
    await page.keyboard.press('Enter')
    await page.getByText('Keep these recovery codes').waitFor()
    const codes = await dialog.getByRole('listitem').allInnerTexts()
    await press(page, /^I have kept them$/)
    await page.getByText('10 codes left').waitFor()
    await press(page, /^New codes$/)
    await dialog.waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Keep these recovery codes').waitFor()
    expect(await dialog.getByRole('listitem').allInnerTexts()).not.toEqual(codes)

    expect(wrong).toEqual([])
  })

  test('somebody signs in with a second factor: a code of the app, a wrong one, and a recovery code', async () => {
    const { site, store, server, db } = console
    // A console without an operator asks nobody to sign in.
    await addPerson({ app: server.app, origin: site, db })
    const person = await addPerson(
      { app: server.app, origin: site, db },
      { role: 'staff', store, permissions: ['order:view'] },
    )
    const begun = await person.console.post('/second-factor/authenticator')
    const { secret } = begun.body.data
    const confirmed = await person.console.put('/second-factor/authenticator', { code: codeOf(secret) })
    const [recovery = ''] = confirmed.body.data.recovery_codes as string[]

    const signInWith = async (...codes: string[]) => {
      const context = await console.browser.newContext({ viewport: PHONE, reducedMotion: 'reduce', locale: 'en' })
      const { page, wrong } = await console.newTab(context, /status of (401|403|422)/)
      await page.addInitScript(NO_POINTER)
      await page.goto(`${site}/console/sign-in?next=%2Fme`)
      await page.getByLabel('Email').waitFor()
      await tabTo(page, /^Email/)
      await page.keyboard.type(person.email)
      await tabTo(page, /^Password/)
      await page.keyboard.type(PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Your second factor' }).waitFor()
      // The field is ready to be typed in, as nothing else is asked for.
      await expect.poll(async () => (await focus(page))?.name).toMatch(/^Code/)
      for (const [n, code] of codes.entries()) {
        if (n > 0) await page.getByText('This code is wrong').waitFor()
        await page.keyboard.press('Control+a')
        await page.keyboard.type(code)
        await page.keyboard.press('Enter')
      }
      await page.getByRole('heading', { name: 'Your account' }).waitFor()
      expect(wrong).toEqual([])
      await context.close()
    }
    await signInWith('000000', codeOf(secret, 1))
    await signInWith(recovery)
  })
})
