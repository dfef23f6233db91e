import type { Page, Route } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../client/src/index.ts'
import ar from '../../console/src/pages/bundles/words/ar.ts'
import en from '../../console/src/pages/bundles/words/en.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import { accessibilityFaults, type ConsoleBrowser, startConsoleBrowser, tooWide } from '../../tests/support/console.ts'
import { picture } from '../../tests/support/uploads.ts'

const installed = hasBrowser('undoing a deletion is not tested in a browser')

describe.skipIf(!installed)('what is deleted in the console can be undone', () => {
  let console: ConsoleBrowser
  let person: Awaited<ReturnType<ConsoleBrowser['signIn']>>
  let page: Page
  let client: Client
  let product: string
  const expected: RegExp[] = []

  const open = (where: string) => page.goto(console.home + where)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const status = () => page.locator('[role=status]')
  const told = (text: string) => status().getByText(text).last().waitFor()
  const undo = () => status().getByRole('button', { name: 'Undo', exact: true })
  const row = (name: string) => page.locator('main').getByRole('link', { name, exact: true })
  const isGone = (name: string) => expect.poll(() => row(name).count()).toBe(0)
  /** The ten seconds go by at once. */
  const wait = () => page.clock.fastForward(11_000)
  const bundles = async () => (await client.bundles.list({ page_size: 200 })).bundles.map(({ name }) => name)
  const addBundle = (name: string) =>
    client.bundles.create({ name, product_id: product, options: [{ name: 'Two', quantity: 2, price: 9 }] })

  /** The page for which one signs in anew: its clock can be moved. */
  const newPage = async () => {
    const tab = await console.newTab(person.context)
    await tab.page.clock.install()
    page = tab.page
    return tab
  }
  let wrong: string[]

  beforeAll(async () => {
    console = await startConsoleBrowser()
    person = await console.signIn()
    const getToken = async () => (await person.console.post(`/stores/${console.store}/token`)).body.data
    client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
    product = (await client.products.list({ page_size: 1 })).products[0]?.id as string
  })

  beforeEach(async () => {
    wrong = (await newPage()).wrong
  })

  afterEach(async () => {
    const faults = wrong.filter((text) => !expected.some((pattern) => pattern.test(text)))
    expected.length = 0
    expect(faults).toEqual([])
    if (!page.isClosed()) await page.close()
  })

  test('a row disappears, comes back with the button or the key, and is deleted when the time is over', async () => {
    await addBundle('First offer')
    await open('/bundles')
    const choose = () => page.getByRole('checkbox', { name: /First offer/ }).check()
    await choose()
    await press('Delete bundle')
    await told('Bundle deleted: First offer')
    await isGone('First offer')
    expect(await page.getByRole('dialog').count(), 'asks nothing').toBe(0)
    expect(await bundles()).toContain('First offer')
    await undo().click()
    await row('First offer').waitFor()
    await wait()
    expect(await bundles(), 'the time of an undone deletion does not count').toContain('First offer')

    await choose()
    await press('Delete bundle')
    await isGone('First offer')
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Undo the last change').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('z')
    await row('First offer').waitFor()
    expect(await page.locator('[role=status][aria-live=polite]').getByText('Undone').count()).toBeGreaterThan(0)

    await choose()
    await press('Delete bundle')
    await isGone('First offer')
    // Whoever has the button in focus has all the time.
    await undo().focus()
    await wait()
    expect(await bundles()).toContain('First offer')
    await undo().blur()
    await wait()
    await expect.poll(bundles).not.toContain('First offer')
    await undo().waitFor({ state: 'detached' })
    await isGone('First offer')
  })

  test('two deletions have two undos, and one act on many rows has one', async () => {
    for (const name of ['Offer A', 'Offer B', 'Offer C', 'Offer D']) await addBundle(name)
    await open('/bundles')
    const choose = (name: string) => page.getByRole('checkbox', { name: new RegExp(name) }).check()
    for (const name of ['Offer A', 'Offer B']) {
      await choose(name)
      await press('Delete bundle')
      await isGone(name)
    }
    expect(await undo().count()).toBe(2)
    await status().locator('div', { hasText: 'Offer A' }).getByRole('button', { name: 'Undo' }).click()
    await row('Offer A').waitFor()
    await choose('Offer C')
    await choose('Offer D')
    await press('Delete')
    await told('2 deleted')
    await isGone('Offer C')
    await isGone('Offer D')
    await page.keyboard.press('z')
    await row('Offer C').waitFor()
    await row('Offer D').waitFor()
    await choose('Offer C')
    await choose('Offer D')
    await press('Delete')
    await isGone('Offer D')
    await wait()
    await expect.poll(async () => (await bundles()).filter((name) => /^Offer/.test(name))).toEqual(['Offer A'])
  })

  test('closing the tab, going elsewhere and signing out delete at once', async () => {
    for (const name of ['Closed', 'Left', 'Signed out']) await addBundle(name)
    const remove = async (name: string) => {
      await open('/bundles')
      await page.getByRole('checkbox', { name: new RegExp(name) }).check()
      await press('Delete bundle')
      await isGone(name)
      expect(await bundles()).toContain(name)
    }
    await remove('Left')
    // Another page of the console is no reason: the button is still there.
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.getByRole('heading', { name: 'Products' }).waitFor()
    expect(await undo().count()).toBe(1)
    expect(await bundles()).toContain('Left')
    await page.goto('about:blank')
    await expect.poll(bundles).not.toContain('Left')

    await remove('Closed')
    await page.close({ runBeforeUnload: true })
    await expect.poll(bundles).not.toContain('Closed')

    const other = await console.signIn()
    await other.page.goto(`${console.home}/bundles`)
    await other.page.getByRole('checkbox', { name: /Signed out/ }).check()
    await other.page.getByRole('button', { name: 'Delete bundle' }).click()
    await other.page.locator('[role=status]').getByText('Bundle deleted: Signed out').waitFor()
    expect(await bundles()).toContain('Signed out')
    await other.page.locator('nav button[aria-haspopup=menu]').click()
    await other.page.getByRole('menuitem', { name: 'Sign out' }).click()
    await other.page.waitForURL(/sign-in/)
    expect(await bundles()).not.toContain('Signed out')
    await other.context.close()
  })

  test('what cannot be deleted comes back, and says why', async () => {
    const { id } = await addBundle('Disputed')
    await open('/bundles')
    const remove = async (name: string) => {
      await page.getByRole('checkbox', { name: new RegExp(name) }).check()
      await press('Delete bundle')
      await isGone(name)
    }
    // Another tab saves in between.
    await remove('Disputed')
    await client.bundles.update(id, { name: 'Disputed still' })
    expected.push(/status of 412/)
    await wait()
    await told('Disputed: not deleted. Somebody else has changed this meanwhile.')
    await row('Disputed still').waitFor()

    // The service is away: it is offered again.
    await remove('Disputed still')
    expected.push(/ERR_|status of 503/)
    await console.restart(async () => {
      await wait()
      await page.clock.resume()
      await told('Disputed still: not deleted. No answer came from the service')
      await row('Disputed still').waitFor()
    })
    await status().getByRole('button', { name: 'Try again' }).click()
    await expect.poll(bundles).not.toContain('Disputed still')
    await isGone('Disputed still')

    // Another tab was quicker: it is gone, as it should be.
    const { id: twice } = await addBundle('Twice')
    await page.reload()
    await remove('Twice')
    await client.bundles.delete(twice)
    expected.push(/status of 404/)
    await wait()
    await undo().waitFor({ state: 'detached' })
    await isGone('Twice')
    expect(await status().getByText('not deleted').count()).toBe(0)
  })

  test('products, landing pages, categories, reviews, files and views come back alike', async () => {
    const { id: own, title } = await client.products.create({ title: 'Lamp of clay', default: { price: 5 } })
    const { id: landing } = await client.landingPages.create({ title: 'Lamps', product_id: own })
    const category = await client.categories.create({ name: 'Lamps of clay' })
    const bytes = await picture()
    const spare = await client.files.upload(new File([bytes], 'spare.png', { type: 'image/png' }))
    const used = await client.files.upload(new File([bytes], 'used.png', { type: 'image/png' }))
    await client.products.update(own, { description: `![Lamp](${used.permanent_url})` })
    const exists = (read: Promise<unknown>) =>
      read.then(
        () => true,
        () => false,
      )
    const menu = async (item: string) => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }

    await open(`/landing-pages/${landing}`)
    await menu('Delete landing page')
    await told('Landing page deleted: Lamps. Its address stops working.')
    await isGone('Lamps')
    await page.keyboard.press('z')
    await row('Lamps').waitFor()
    await page.getByRole('checkbox', { name: /Lamps/ }).check()
    await press('Delete')
    await isGone('Lamps')
    await undo().click()
    await row('Lamps').waitFor()

    await open(`/products/${own}`)
    await menu('Delete product')
    await told(`Product deleted: ${title}. Its variants, reviews and landing pages are deleted too.`)
    await page.waitForURL(/\/products$/)
    await isGone(title)
    await page.keyboard.press('z')
    await row(title).waitFor()

    await open('/categories')
    await press('Delete Lamps of clay')
    await told('Category deleted: Lamps of clay. Its products stay, without a category.')
    await isGone('Lamps of clay')
    await undo().click()
    await row('Lamps of clay').waitFor()

    await open('/files?linked=false')
    await page.getByRole('button', { name: /spare\.png/ }).click()
    await press('Delete file')
    await told('File deleted: spare.png')
    await expect.poll(() => page.getByRole('button', { name: /spare\.png/ }).count()).toBe(0)
    expect(await page.getByRole('button', { name: /used\.png/ }).count(), 'a text has its address').toBe(0)
    await page.keyboard.press('z')
    await page.getByRole('button', { name: /spare\.png/ }).waitFor()
    // A file in use asks first, below the places where it is used.
    await open('/files')
    await page.getByRole('button', { name: /used\.png/ }).click()
    await page.getByRole('dialog').getByText('Its address stands in the text').waitFor()
    await press('Delete file')
    await page.getByText('It is removed everywhere it is used.').waitFor()
    await press('Delete file')
    await told('File deleted: used.png')
    await page.keyboard.press('z')
    await page.getByRole('button', { name: /used\.png/ }).waitFor()

    await open('/reviews?status=all')
    const first = page.locator('main li[data-current]')
    const review = (await first.getAttribute('id')) ?? ''
    await first.waitFor()
    await page.keyboard.press('d')
    await page.locator(`#${review}`).waitFor({ state: 'detached' })
    await page.keyboard.press('z')
    await page.locator(`#${review}`).waitFor()

    await open('/orders?is_cancelled=true')
    await press('Save view')
    await page.getByLabel('Name of the view').fill('Called off')
    await page.keyboard.press('Enter')
    await press('Delete view: Called off')
    await told('View deleted: Called off')
    await isGone('Called off')
    await page.keyboard.press('z')
    await row('Called off').waitFor()

    await wait()
    expect(
      await Promise.all([
        exists(client.landingPages.get(landing)),
        exists(client.products.get(own)),
        exists(client.categories.get(category.id)),
        exists(client.files.get(spare.id)),
        exists(client.files.get(used.id)),
        exists(client.reviews.get(review.replace('review-', ''))),
      ]),
    ).toEqual([true, true, true, true, true, true])
  })

  test('of many files those that nothing uses are deleted, after a preview, and can be brought back', async () => {
    const upload = async (name: string) => client.files.upload(new File([await picture()], name, { type: 'image/png' }))
    const names = ['many-a.png', 'many-b.png', 'many-c.png', 'many-d.png']
    const files = []
    for (const name of names) files.push(await upload(name))
    const { id } = await client.products.create({ title: 'Jar', default: { price: 5 } })
    await client.products.update(id, { description: `![Jar](${files[1]?.permanent_url})` })
    const tile = (name: string) => page.locator('main').getByRole('button', { name: new RegExp(name) })
    const tick = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` })
    const shown = async () => (await Promise.all(names.map((name) => tile(name).count()))).join('')
    const left = async () => {
      const { files } = await client.files.list({ page_size: 200 })
      return names.filter((name) => files.some((file) => file.name === name))
    }
    const dialog = page.getByRole('dialog')
    const fate = (name: string) => dialog.getByRole('listitem').filter({ hasText: name })

    // The newest is first: from d to a.
    await open('/files')
    await tick('many-d.png').check()
    await tick('many-a.png').click({ modifiers: ['Shift'] })
    await page.getByLabel('4 selected').waitFor()
    await press('Delete')
    await dialog.getByText('3 of 4 will be deleted').waitFor()
    await dialog.getByText('1 is in use and stays.').waitFor()
    expect(await fate('many-a').innerText()).toContain('Is deleted')
    expect(await fate('many-b').innerText()).toMatch(/Stays\s+Its address stands in the text: Jar/)
    expect(await left()).toEqual(names)
    await press('Delete 3 files')
    await told('3 deleted')
    await expect.poll(shown).toBe('0100')
    await page.getByLabel('1 selected').waitFor()
    expect(await left()).toEqual(names)
    await page.keyboard.press('z')
    await expect.poll(shown).toBe('1111')

    // Another tab uses one of them, and the answer to the deletion is lost.
    const choose = async (...chosen: string[]) => {
      await page.getByRole('button', { name: 'Clear selection' }).click()
      for (const name of chosen) await tick(name).check()
      await press('Delete')
    }
    await choose('many-a.png', 'many-c.png')
    await press('Delete 2 files')
    await expect.poll(shown).toBe('0101')
    await client.products.update(id, { description: `![Jar](${files[2]?.permanent_url})` })
    let lost = 0
    const losing = async (route: Route) => {
      await route.fetch()
      lost++
      await route.abort()
    }
    await page.route('**/file/unused', losing, { times: 1 })
    expected.push(/ERR_FAILED/)
    await wait()
    // The second attempt waits for half a second at least.
    await page.clock.resume()
    await told('many-c.png: not deleted. It is used by now.')
    expect(lost).toBe(1)
    await expect.poll(shown).toBe('0111')
    expect(await left()).toEqual(['many-b.png', 'many-c.png', 'many-d.png'])

    // All that match, and the tab is closed before the time is over.
    await page.close()
    wrong = (await newPage()).wrong
    await open('/files?linked=false')
    await tile('many-d').waitFor()
    await tick('many-d.png').check()
    await press('Delete')
    const again = page.getByRole('dialog')
    await again.getByLabel('Which files').selectOption('all')
    await again.getByRole('listitem').filter({ hasText: 'many-b' }).waitFor()
    await again.getByRole('button', { name: /^Delete \d+ files$/ }).click()
    await page.getByText('No file matches').waitFor()
    expect(await left()).toEqual(['many-b.png', 'many-c.png', 'many-d.png'])
    await page.close({ runBeforeUnload: true })
    await expect.poll(left).toEqual(['many-c.png'])
    expect((await client.files.list({ linked: false })).pagination.total).toBe(0)

    // One file alone is deleted by a closed tab, too.
    await upload('many-a.png')
    await newPage()
    await open('/files?linked=false')
    await tile('many-a').click()
    await press('Delete file')
    await told('File deleted: many-a.png')
    await page.close({ runBeforeUnload: true })
    await expect.poll(left).toEqual(['many-c.png'])
  })

  test('who may not delete files selects none', async () => {
    const grants = [{ role: 'staff', store: console.store, permissions: ['file:browse'] } as const]
    const staff = await console.signIn({ grants: [...grants] })
    await staff.page.goto(`${console.home}/files`)
    await staff.page.locator('main li [data-row]').first().waitFor()
    expect(await staff.page.locator('main li input').count()).toBe(0)
    await staff.context.close()
  })

  test('the chance to undo is accessible and fits a phone, in Arabic and dark too', async () => {
    for (const [words, look] of [
      [en, {}],
      [ar, { language: 'ar', theme: 'dark' }],
    ] as const) {
      const { id } = await addBundle('Narrow')
      const other = await console.signIn(look, { width: 320, height: 700 })
      await other.page.goto(`${console.home}/bundles`)
      await other.page.getByRole('checkbox', { name: /Narrow/ }).check()
      await other.page.getByRole('button', { name: words.delete, exact: true }).click()
      const said = other.page.locator('[role=status]')
      await said.getByText('Narrow').waitFor()
      expect(await accessibilityFaults(other.page, { include: ['[role=status]'] })).toEqual([])
      expect(await tooWide(other.page)).toEqual([])
      await said.getByRole('button').click()
      expect(await client.bundles.get(id)).toMatchObject({ name: 'Narrow' })
      await client.bundles.delete(id)
      await other.context.close()
    }
  })
})
