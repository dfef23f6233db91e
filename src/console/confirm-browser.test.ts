import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../client/src/index.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import { accessibilityFaults, type ConsoleBrowser, startConsoleBrowser } from '../../tests/support/console.ts'

const installed = hasBrowser('the confirmation of orders in the console is not tested')

const waits = { confirmation: ['waiting', 'no_answer', 'postponed'], is_cancelled: false, page_size: 100 } as const

const TWENTY = 20

const POLL = { timeout: 30_000, interval: 50 }

const openDesk = async () => {
  const console = await startConsoleBrowser()
  const person = await console.signIn()
  const getToken = async () => (await person.console.post(`/stores/${console.store}/token`)).body.data
  const client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
  return { console, person, client }
}

/** Orders of different people, each of one unit. */
const placeOrders = async (client: Client, count: number) => {
  const { products } = await client.products.list({ page_size: 100 })
  const [variant] = products.flatMap(({ default: own }) => (own && own.quantity > count ? own : []))
  for (let n = 0; n < count; n++)
    await client.orders.create({
      customer_first_name: 'Olfa',
      customer_phone: `+216206660${10 + n}`,
      customer_address: '12 rue de Marseille, Tunis',
      variants: [{ variant_id: variant?.id as string, quantity: 1 }],
    })
}

/** How often the customer of each order that waits was called. */
const callsBefore = async (client: Client) => {
  const { orders } = await client.orders.list({ ...waits, confirmation: [...waits.confirmation] })
  return new Map(orders.map(({ ref, confirmation }) => [ref, confirmation?.attempts ?? 0]))
}

/** The reference of the order in hand, once it is another one than before. */
const nextRef = async (page: Page, before = '') => {
  const shown = page.locator('main h2[tabindex] ~ span')
  await expect.poll(async () => ((await shown.count()) === 1 ? shown.textContent() : before), POLL).not.toBe(before)
  // A key that is pressed at once belongs to the order before.
  await page.waitForTimeout(450)
  return (await shown.textContent()) as string
}

const goToDesk = async ({ home }: ConsoleBrowser, page: Page) => {
  await page.goto(`${home}/confirm`)
  return nextRef(page)
}

describe.skipIf(!installed)('the confirmation of orders in a browser', () => {
  test('orders are confirmed, refused and noted by keyboard, and each is handled once', async () => {
    const { console, person, client } = await openDesk()
    const { page } = person
    await placeOrders(client, TWENTY)
    const { orders } = await client.orders.list({ ...waits, confirmation: [...waits.confirmation] })
    const byRef = new Map(orders.map((order) => [order.ref, order.id]))
    const read = (ref: string) => client.orders.get(byRef.get(ref) as string)
    let ref = await goToDesk(console, page)
    const links = await page.locator('main a[href^="tel:"], main a[href^="https://wa.me/"]').count()
    expect(links).toBeGreaterThanOrEqual(2)
    expect(await accessibilityFaults(page)).toEqual([])

    const calls = await callsBefore(client)
    const confirmed: string[] = []
    for (let n = 0; n < TWENTY; n++) {
      confirmed.push(ref)
      // Twice, as somebody in a hurry does it: the next order stays as it is.
      await page.keyboard.press('1')
      await page.keyboard.press('1')
      ref = await nextRef(page, ref)
    }
    expect(new Set(confirmed).size).toBe(TWENTY)
    const states = await Promise.all(confirmed.map(async (done) => (await read(done)).confirmation))
    for (const [place, ref] of confirmed.entries())
      expect(states[place], ref).toMatchObject({ state: 'confirmed', attempts: (calls.get(ref) as number) + 1 })
    expect((await read(ref)).confirmation?.state).not.toBe('confirmed')

    // The last one was a mistake: it waits again, and is in hand.
    const attemptsBefore = states.at(-1)?.attempts as number
    await page.keyboard.press('u')
    expect(await nextRef(page, ref)).toBe(confirmed.at(-1))
    expect((await read(confirmed.at(-1) as string)).confirmation).toMatchObject({
      state: 'waiting',
      attempts: attemptsBefore - 1,
    })
    await page.keyboard.press('1')
    ref = await nextRef(page, confirmed.at(-1))
    expect((await read(confirmed.at(-1) as string)).confirmation).toMatchObject({
      state: 'confirmed',
      attempts: attemptsBefore,
    })

    await page.keyboard.press('?')
    const keys = page.getByRole('dialog')
    for (const about of ['Confirmed', 'No answer', 'Postponed', 'Refused', 'Take back the last answer'])
      await keys.getByText(about, { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'detached' })

    await page.keyboard.press('n')
    await page.locator('dialog textarea').fill('Only after five.')
    await page.locator('dialog button[type=submit]').click()
    await page.getByText('Last note: Only after five.').waitFor()
    await page.locator('dialog').waitFor({ state: 'detached' })

    const refused = ref
    await page.keyboard.press('4')
    await page.locator('dialog').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.keyboard.press('Enter')
    ref = await nextRef(page, refused)
    expect(await read(refused)).toMatchObject({ is_cancelled: true, confirmation: { state: 'refused' } })

    const unanswered = ref
    await page.keyboard.press('2')
    await page.locator('dialog').waitFor()
    await page.keyboard.press('Enter')
    ref = await nextRef(page, unanswered)
    const later = (await read(unanswered)).confirmation
    expect(later?.state).toBe('no_answer')
    expect(Date.parse(later?.next_at as string) - Date.now()).toBeGreaterThan(50 * 60_000)

    const passed = ref
    await page.keyboard.press('j')
    ref = await nextRef(page, passed)
    expect((await read(passed)).confirmation?.state).not.toBe('confirmed')

    // No answer came: the failure is shown, and a second attempt confirms once.
    const attempts = (await read(ref)).confirmation?.attempts as number
    await page.route('**/confirmation', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await page.keyboard.press('1')
    await page.locator('section [role=alert]').waitFor()
    await page.unroute('**/confirmation')
    await page.keyboard.press('1')
    const last = ref
    await nextRef(page, last)
    expect((await read(last)).confirmation).toMatchObject({ state: 'confirmed', attempts: attempts + 1 })
    expect(person.wrong.filter((text) => !/net::ERR_FAILED/.test(text))).toEqual([])
  }, 120_000)

  test('two people never have the same order, see who has which, and get what the other leaves', async () => {
    const { console, person, client } = await openDesk()
    const other = await console.signIn()
    const mine = await goToDesk(console, person.page)
    const theirs = await goToDesk(console, other.page)
    expect(theirs).not.toBe(mine)
    const callers = (page: Page) => page.getByRole('region', { name: 'Others are calling now' })
    await callers(person.page).getByText(theirs).waitFor()
    await callers(other.page).getByText(mine).waitFor()
    expect(await accessibilityFaults(person.page)).toEqual([])
    await Promise.all([person.page.keyboard.press('1'), other.page.keyboard.press('1')])
    const next = await Promise.all([nextRef(person.page, mine), nextRef(other.page, theirs)])
    expect(new Set([mine, theirs, ...next]).size).toBe(4)
    await callers(person.page).getByText(next[1]).waitFor()
    expect(await callers(person.page).getByText(theirs).count()).toBe(0)

    // Only the order of the other person is left. It is free as soon as they leave the page, and comes by itself.
    const list = { ...waits, confirmation: [...waits.confirmation] }
    for (const order of (await client.orders.list(list)).orders)
      if (order.ref !== next[1]) await client.orders.confirm(order.id, { result: 'confirmed' })
    await person.page.reload()
    await person.page.getByRole('heading', { name: 'Nobody to call' }).waitFor()
    await callers(person.page).getByText(next[1]).waitFor()
    await other.page.getByRole('link', { name: 'Open order' }).click()
    expect(await nextRef(person.page)).toBe(next[1])
    await callers(person.page).waitFor({ state: 'detached' })
    expect([...person.wrong, ...other.wrong]).toEqual([])
  }, 120_000)

  test('three people at once confirm every order once, and no two of them see the same one', async () => {
    const { console, person, client } = await openDesk()
    const people = [person, await console.signIn(), await console.signIn()]
    await placeOrders(client, TWENTY)
    const calls = await callsBefore(client)
    const rounds = Array.from({ length: 5 })
    const seen = await Promise.all(
      people.map(async ({ page }) => {
        const refs = [await goToDesk(console, page)]
        for (const _ of rounds) {
          await page.keyboard.press('1')
          refs.push(await nextRef(page, refs.at(-1)))
        }
        return refs
      }),
    )
    const all = seen.flat()
    expect(new Set(all).size).toBe(all.length)
    for (const ref of seen.flatMap((refs) => refs.slice(0, -1))) {
      const { orders } = await client.orders.list({ ref })
      const state = { state: 'confirmed', attempts: (calls.get(ref) as number) + 1 }
      expect(orders[0]?.confirmation, ref).toMatchObject(state)
    }
    expect(people.flatMap(({ wrong }) => wrong)).toEqual([])
  }, 180_000)

  test('of two tabs of one person only the one opened last has an order, until the other one goes on', async () => {
    const { console, person, client } = await openDesk()
    const calls = await callsBefore(client)
    const first = person.page
    const second = await console.newTab(person.context)
    const ref = await goToDesk(console, first)
    const elsewhere = (page: Page) => page.getByRole('heading', { name: 'You confirm orders in another tab' })
    expect(await goToDesk(console, second.page)).toBe(ref)
    await elsewhere(first).waitFor()
    expect(await accessibilityFaults(first)).toEqual([])
    // Nothing happens there by keyboard.
    await first.keyboard.press('1')
    await first.keyboard.press('u')
    await second.page.keyboard.press('1')
    const next = await nextRef(second.page, ref)
    expect(await first.getByText(next).count()).toBe(0)
    await first.getByRole('button', { name: 'Go on here' }).click()
    expect(await nextRef(first)).toBe(next)
    await elsewhere(second.page).waitFor()
    await first.keyboard.press('1')
    await nextRef(first, next)
    for (const done of [ref, next]) {
      const { orders } = await client.orders.list({ ref: done })
      const state = { state: 'confirmed', attempts: (calls.get(done) as number) + 1 }
      expect(orders[0]?.confirmation).toMatchObject(state)
    }
    // Leaving the other tab gives nothing back that this one has.
    const mine = await nextRef(first)
    await second.page.goto(`${console.home}/orders`)
    expect((await client.orders.listClaims()).map(({ order_ref }) => order_ref)).toEqual([mine])
    expect([...person.wrong, ...second.wrong]).toEqual([])
  }, 120_000)

  test('a duplicate is merged into the older order; without confirmation the page says how to switch it on', async () => {
    const { console, person, client } = await openDesk()
    const { page } = person
    for (const order of (await client.orders.list({ ...waits, confirmation: [...waits.confirmation] })).orders)
      await client.orders.confirm(order.id, { result: 'confirmed' })
    await client.setting.updateSettings({ order_desk: { confirm: false } })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${console.home}/confirm`)
    await page.getByRole('button', { name: 'Switch confirmation on' }).click()
    await page.getByRole('heading', { name: 'Nobody to call' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])

    const { products } = await client.products.list({ page_size: 100 })
    const variant = products.flatMap(({ default: own, variants }) => own ?? variants).find((v) => v.quantity > 20)
    const stockOf = async () => {
      const { products } = await client.products.list({ page_size: 100 })
      const all = products.flatMap(({ default: own, variants }) => own ?? variants)
      return all.find(({ id }) => id === variant?.id)?.quantity
    }
    const body = {
      customer_first_name: 'Olfa',
      customer_last_name: 'Trabelsi',
      customer_phone: '+21620999888',
      customer_address: '12 rue de Marseille, Tunis',
      variants: [{ variant_id: variant?.id as string, quantity: 1 }],
    }
    const older = await client.orders.create(body)
    const newer = await client.orders.create(body)
    await page.reload()
    expect(await nextRef(page)).toBe(older.ref)
    await page.getByRole('heading', { name: 'Ordered twice?' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(
      false,
    )
    await page.keyboard.press('m')
    await page.getByRole('heading', { name: `Merge ${newer.ref} into ${older.ref}?` }).waitFor()
    await page.locator('dialog button[type=submit]').click()
    await page.getByRole('heading', { name: 'Ordered twice?' }).waitFor({ state: 'detached' })
    expect((await client.orders.get(newer.id)).is_cancelled).toBe(true)
    expect((await client.orders.get(older.id)).quantity).toBe(2)
    expect(await stockOf()).toBe((variant?.quantity as number) - 2)

    const refuse = async () => {
      await page.keyboard.press('4')
      await page.locator('dialog').waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Nobody to call' }).waitFor()
    }
    await refuse()
    // Taken back: the order is there again with its items.
    await page.getByRole('button', { name: 'Undo' }).last().click()
    expect(await nextRef(page)).toBe(older.ref)
    expect(await client.orders.get(older.id)).toMatchObject({ is_cancelled: false, confirmation: { state: 'waiting' } })
    expect(await stockOf()).toBe((variant?.quantity as number) - 2)
    await refuse()
    expect(await client.orders.get(older.id)).toMatchObject({
      is_cancelled: true,
      confirmation: { state: 'refused', attempts: 1 },
    })
    expect(await stockOf()).toBe(variant?.quantity)
    expect(person.wrong).toEqual([])
  }, 120_000)
})
