import type { CDPSession, Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../client/src/index.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import {
  accessibilityFaults,
  type ConsoleBrowser,
  SHOWN_TEXTS,
  startConsoleBrowser,
  texts,
  tooWide,
} from '../../tests/support/console.ts'
import { allWords, type Language, wordsOf } from '../../tests/support/console-words.ts'

const installed = hasBrowser('the pages of the order desk are not looked at in every language')

const en = wordsOf('en')
const RUNS = [
  ['en', 'dark'],
  ['fr', 'light'],
  ['ar', 'dark'],
] as const

/** What a key writes: a French keyboard has digits with Shift only, an Arabic one no Latin letters. */
const LAYOUTS: Record<Language, Readonly<Record<string, string>>> = {
  en: {},
  fr: { 1: '&', 2: 'é', 3: '"', 4: "'" },
  ar: { e: 'ث', j: 'ت', k: 'ن', m: 'ة', n: 'ى', u: 'ع', '?': '؟' },
}
const SHIFT = 8

/** English words that are no words of the language itself. */
const englishIn = (language: Language) => {
  const own = new Set(texts(allWords(language)))
  return new Set(texts(allWords('en')).filter((text) => /[a-z]{3}/i.test(text) && !own.has(text)))
}

const PHONE = { width: 390, height: 844 }
const SMALL = { width: 320, height: 640 }
const LOST = /status of 4\d\d|ERR_/

describe.skipIf(!installed)('the pages of the order desk', () => {
  let console: ConsoleBrowser
  let client: Client
  let variant: { id: string; product: string }

  beforeAll(async () => {
    console = await startConsoleBrowser()
    const { console: caller } = await console.signIn()
    const getToken = async () => (await caller.post(`/stores/${console.store}/token`)).body.data
    client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
    const { products } = await client.products.list({ page_size: 100, status: 'active' })
    const product = products.find(({ is_digital, default: only }) => !is_digital && (only?.quantity ?? 0) > 50)
    variant = { id: product?.default?.id as string, product: product?.id as string }
  })

  const place = (customer_phone: string, more: object = {}) =>
    client.orders.create({
      customer_first_name: 'Olfa',
      customer_last_name: 'Trabelsi',
      customer_phone,
      customer_address: '12 rue de Marseille',
      customer_city: 'Tunis',
      variants: [{ variant_id: variant.id, quantity: 1 }],
      ...more,
    })
  const stock = async () => (await client.products.get(variant.product)).default?.quantity as number
  const read = ({ id }: { id: string }) => client.orders.get(id)
  const emptyQueue = async () => {
    const confirmation = ['waiting', 'no_answer', 'postponed'] as const
    const { orders } = await client.orders.list({
      confirmation: [...confirmation],
      is_cancelled: false,
      page_size: 100,
    })
    for (const { id } of orders) await client.orders.confirm(id, { result: 'confirmed' })
    await client.setting.updateSettings({ order_desk: { confirm: true } })
  }

  /** The order in hand. An act within its first moments belongs to the order before. */
  const inHand = async (page: Page, ref: string) => {
    await page.locator('main h2[tabindex] ~ span', { hasText: ref }).waitFor()
    await page.waitForTimeout(450)
  }

  const press = async (session: CDPSession, language: Language, key: string) => {
    const code = /\d/.test(key) ? `Digit${key}` : /[a-z]/.test(key) ? `Key${key.toUpperCase()}` : 'Slash'
    const modifiers = key === '?' ? SHIFT : 0
    for (const type of ['rawKeyDown', 'keyUp'] as const)
      await session.send('Input.dispatchKeyEvent', { type, key: LAYOUTS[language][key] ?? key, code, modifiers })
  }

  /** Moves the focus there by keyboard. */
  const moveTo = async (page: Page, target: Locator, key = 'Tab') => {
    await target.waitFor()
    for (let n = 0; n < 150; n++) {
      if (await target.and(page.locator(':focus')).count()) return
      await page.keyboard.press(key)
    }
    throw new Error(`The keyboard does not reach ${target}.`)
  }

  test.each(RUNS)(
    'are accessible, fit a phone and are used by keyboard alone: %s, %s',
    async (language, theme) => {
      const words = wordsOf(language)
      const { desk } = words.orders
      const english = englishIn(language)
      const { page, wrong, context } = await console.signIn({ language, theme }, PHONE)
      const keys = await context.newCDPSession(page)
      const dialog = page.locator('dialog')
      const found: Record<string, string[]> = {}

      const look = async (name: string, ready: Locator) => {
        await ready.first().waitFor()
        const faults = await accessibilityFaults(page)
        for (const size of [SMALL, PHONE]) {
          await page.setViewportSize(size)
          faults.push(...(await tooWide(page)).map((element) => `wider than ${size.width}: ${element}`))
        }
        if (language !== 'en') {
          const shown = await page.evaluate<string[]>(SHOWN_TEXTS)
          faults.push(...shown.filter((text) => english.has(text)).map((text) => `in English: ${text}`))
        }
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${language}-${name}.png` })
        if (faults.length > 0) found[name] = faults
      }
      const close = async () => {
        await page.keyboard.press('Escape')
        await dialog.last().waitFor({ state: 'detached' })
      }
      const button = (name: string) => page.getByRole('button', { name, exact: true })
      const choose = async (name: string) => {
        await moveTo(page, button(name).first())
        await page.keyboard.press('Enter')
      }

      await emptyQueue()
      const phone = `+2162066677${RUNS.findIndex(([run]) => run === language)}`
      const before = await place(phone)
      await client.orders.updateDelivery(before.deliveries[0]?.id as string, { status: 'delivered' })
      await client.orders.confirm(before.id, { result: 'confirmed' })
      const older = await place(phone)
      const newer = await place(phone)
      await page.goto(`${console.home}/confirm`)
      await inHand(page, older.ref)
      await look('order in hand', page.getByRole('heading', { name: words.confirm.duplicates }))

      await press(keys, language, '2')
      await look('no answer', dialog.locator('fieldset'))
      await close()
      await press(keys, language, '3')
      await dialog.locator('input[type=radio]').last().waitFor()
      await moveTo(page, dialog.locator('input[type=radio]').last(), 'ArrowDown')
      await look('postponed', dialog.locator('input[type=datetime-local]'))
      await close()
      await press(keys, language, '4')
      await look('refused', dialog.locator('textarea'))
      await close()
      await press(keys, language, 'e')
      await look('address', dialog.getByText(words.edit.editContact))
      await close()
      await press(keys, language, 'n')
      await look('note', dialog.locator('textarea'))
      await close()
      await press(keys, language, 'm')
      await look('merge', dialog.getByText(words.confirm.mergeAsk(newer.ref, older.ref)))
      await close()
      await press(keys, language, '?')
      await look('keys', dialog.getByText(words.confirm.undo))
      await close()
      await press(keys, language, 'j')
      await inHand(page, newer.ref)
      await press(keys, language, 'k')
      await inHand(page, older.ref)
      await press(keys, language, '1')
      await inHand(page, newer.ref)
      await press(keys, language, 'u')
      await inHand(page, older.ref)
      expect((await read(older)).confirmation).toMatchObject({ state: 'waiting', attempts: 0 })

      await moveTo(page, page.getByRole('link', { name: words.confirm.openOrder }))
      await page.keyboard.press('Enter')
      await moveTo(page, page.locator('main summary'))
      await page.keyboard.press('Enter')
      await look('order with its signals', page.locator('main details[open] dl'))
      await choose(desk.editItems)
      await look('items', dialog.getByText(words.edit.linesHelp))
      await choose(words.edit.addItem)
      await look('finder of items', page.getByRole('dialog', { name: words.edit.addItem }))
      await page.keyboard.press('Escape')
      await page.getByRole('dialog', { name: words.edit.addItem }).waitFor({ state: 'detached' })
      await close()
      await choose(words.orders.ship)
      await look('shipping', dialog.getByText(desk.unconfirmed))
      await close()
      await moveTo(page, page.getByLabel(desk.note, { exact: true }))
      await page.keyboard.insertText('Rings twice.')
      await choose(desk.addNote)
      await page.getByRole('listitem').getByText('Rings twice.').waitFor()

      const parcel = older.deliveries[0]?.id as string
      await client.orders.updateDelivery(parcel, { status: 'shipped' })
      await page.reload()
      await choose(desk.markDelivered)
      await page.getByRole('status').getByText(desk.markedDelivered).waitFor()
      expect((await read(older)).deliveries[0]?.status).toBe('delivered')
      await choose(words.controls.more)
      await moveTo(page, page.getByRole('menuitem', { name: words.orders.return }), 'ArrowDown')
      await page.keyboard.press('Enter')
      await look('return', dialog.getByText(desk.restockNow))
      await close()
      const [line] = older.variants
      await client.orders.return(older.id, { variants: [{ order_variant_id: line?.id as string, quantity: 1 }] })
      await page.reload()
      await choose(desk.receive)
      await look('receipt of a return', dialog.getByText(desk.receiveHelp))
      await moveTo(page, dialog.getByRole('button', { name: desk.receive }))
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'detached' })
      await expect.poll(async () => (await read(older)).returns[0]?.delivery?.status).toBe('delivered')

      await page.goto(`${console.home}/orders?confirmation=waiting`)
      await look('filtered orders', page.locator('tbody a'))
      await page.goto(`${console.home}/orders/new`)
      await moveTo(page, page.getByLabel(words.edit.phone, { exact: true }))
      await page.keyboard.insertText('٢٠ ٦٦٦ ٧٧')
      await look('new order', page.locator('form'))
      page.once('dialog', (asked) => void asked.accept())
      await page.goto(`${console.home}/deliveries`)
      await look('deliveries by carrier', page.locator('tbody a'))
      await page.goto(`${console.home}/deliveries/list?cash=owed`)
      await look('cash owed', page.locator('tbody a'))
      await moveTo(page, page.locator('tbody input').first())
      await page.keyboard.press('Space')
      await choose(words.parcels.receive)
      await look('cash received', dialog.getByText(words.parcels.receiveHelp))
      await close()
      await page.goto(`${console.home}/deliveries/import`)
      await page.locator('input[type=file]').setInputFiles({
        name: 'carrier.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('AWB;Situation\r\nPX-404;Livré au client\r\nPX-405;Perdu'),
      })
      await look('meaning of results', page.locator('main table select'))
      await choose(words.parcels.check)
      await look('refused results', page.getByText(words.parcels.refusals.unknown))

      page.once('dialog', (asked) => void asked.accept())
      await emptyQueue()
      await page.goto(`${console.home}/confirm`)
      await look('nobody to call', page.getByRole('heading', { name: words.confirm.empty }))
      const second = await console.newTab(context)
      await second.page.goto(`${console.home}/confirm`)
      await look('another tab', page.getByRole('heading', { name: words.confirm.elsewhere }))
      await choose(words.confirm.goOnHere)
      await second.page.getByRole('heading', { name: words.confirm.elsewhere }).waitFor()

      expect(found).toEqual({})
      expect([...wrong, ...second.wrong]).toEqual([])
      await context.close()
    },
    300_000,
  )

  describe('an answer that is lost', () => {
    let page: Page
    let wrong: string[]
    const dialog = () => page.locator('dialog')
    const alert = () => page.getByText(en.problems.noAnswer)
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    /** The service has the request, and its answer never arrives. */
    const lose = async (address: string, act: () => Promise<unknown>) => {
      await page.route(address, async (route) => {
        if (route.request().method() === 'GET') return route.continue()
        await route.fetch()
        await route.abort('connectionreset')
      })
      await act()
      await alert().first().waitFor()
      await page.unroute(address)
    }

    beforeAll(async () => {
      ;({ page, wrong } = await console.signIn())
    })

    const expectNothingElse = () => expect(wrong.splice(0).filter((text) => !LOST.test(text))).toEqual([])

    test('at the desk, nothing typed is lost, and nothing is recorded twice', async () => {
      await emptyQueue()
      const first = await place('+216 20 666 780')
      const second = await place('+216 20 666 781')
      await page.goto(`${console.home}/confirm`)
      await inHand(page, first.ref)

      await page.keyboard.press('n')
      await dialog().locator('textarea').fill('Only after five.')
      await lose('**/note', () => press(en.orders.desk.addNote))
      expect(await dialog().locator('textarea').inputValue()).toBe('Only after five.')
      await press(en.orders.desk.addNote)
      await dialog().waitFor({ state: 'detached' })
      expect((await read(first)).history.flatMap(({ note }) => note ?? [])).toEqual(['Only after five.'])

      await page.keyboard.press('2')
      await dialog().locator('textarea').fill('Rang five times.')
      await lose('**/confirmation', () => dialog().getByRole('button', { name: en.confirm.no_answer }).click())
      expect(await dialog().locator('textarea').inputValue()).toBe('Rang five times.')
      await dialog().getByRole('button', { name: en.confirm.no_answer }).click()
      await inHand(page, second.ref)
      expect((await read(first)).confirmation).toMatchObject({
        state: 'no_answer',
        attempts: 1,
        note: 'Rang five times.',
      })

      // Taken back twice, because the first time no answer came.
      await lose('**/confirmation', () => page.keyboard.press('u'))
      await page.keyboard.press('u')
      await inHand(page, first.ref)
      expect((await read(first)).confirmation).toMatchObject({ state: 'waiting', attempts: 0 })

      // The service is away: the order stays in hand.
      await page.route('**/confirmation', (route) =>
        route.fulfill({ status: 503, json: { code: 'unavailable', message: 'away', errors: {} } }),
      )
      await page.keyboard.press('1')
      await page.locator('section [role=alert]').waitFor()
      await page.unroute('**/confirmation')
      expect((await read(first)).confirmation?.state).toBe('waiting')
      await page.keyboard.press('1')
      await inHand(page, second.ref)
      expect((await read(first)).confirmation).toMatchObject({ state: 'confirmed', attempts: 1 })
      expect(wrong.splice(0).filter((text) => !LOST.test(text) && !/status of 503/.test(text))).toEqual([])
    }, 120_000)

    test('two orders are merged once', async () => {
      await emptyQueue()
      const before = await stock()
      const older = await place('+216 20 666 782')
      const newer = await place('+216 20 666 782')
      await page.goto(`${console.home}/confirm`)
      await inHand(page, older.ref)
      await page.getByRole('heading', { name: en.confirm.duplicates }).waitFor()
      await page.keyboard.press('m')
      const merge = dialog().getByRole('button', { name: en.confirm.merge, exact: true })
      await lose('**/merge', () => merge.click())
      await merge.click()
      await dialog().waitFor({ state: 'detached' })
      expect(await read(older)).toMatchObject({ quantity: 2, is_cancelled: false })
      expect(await read(newer)).toMatchObject({ is_cancelled: true })
      expect(await stock()).toBe(before - 2)
      expectNothingElse()
    }, 120_000)

    test('on the page of an order, a note is added and a return received once, and stock rises as the setting says', async () => {
      await emptyQueue()
      for (const onReceipt of [true, false]) {
        await client.setting.updateSettings({ order_desk: { restock_on_receipt: onReceipt } })
        const order = await place('+216 20 666 783')
        await client.orders.updateDelivery(order.deliveries[0]?.id as string, { status: 'delivered' })
        const before = await stock()
        await page.goto(`${console.home}/orders/${order.id}`)
        const note = page.getByLabel(en.orders.desk.note, { exact: true })
        await note.fill('Rings twice.')
        await lose('**/note', () => press(en.orders.desk.addNote))
        expect(await note.inputValue()).toBe('Rings twice.')
        await press(en.orders.desk.addNote)
        await expect.poll(() => note.inputValue()).toBe('')
        expect((await read(order)).history.flatMap(({ note }) => note ?? [])).toEqual(['Rings twice.'])

        await press(en.controls.more)
        await page.getByRole('menuitem', { name: en.orders.return }).click()
        await dialog().locator('input').first().fill('1')
        await lose('**/return', () => dialog().locator('button[type=submit]').click())
        expect(await dialog().locator('input').first().inputValue()).toBe('1')
        await dialog().locator('button[type=submit]').click()
        await dialog().waitFor({ state: 'detached' })
        expect((await read(order)).returns).toHaveLength(1)
        expect(await stock()).toBe(onReceipt ? before : before + 1)

        await press(en.orders.desk.receive)
        const receive = dialog().getByRole('button', { name: en.orders.desk.receive })
        await lose('**/order/delivery/*', () => receive.click())
        // Nobody knows whether it has arrived: the page shows what became of it, and asks once more at most.
        await expect
          .poll(async () => {
            if ((await dialog().count()) > 0) await receive.click({ timeout: 2_000 }).catch(() => {})
            return dialog().count()
          })
          .toBe(0)
        expect((await read(order)).returns[0]?.delivery?.status).toBe('delivered')
        expect(await stock()).toBe(before + 1)
      }
      await client.setting.updateSettings({ order_desk: { restock_on_receipt: false } })
      expectNothingElse()
    }, 180_000)

    test('the cash of a carrier is received once, and taken back once', async () => {
      await emptyQueue()
      const [carrier] = await client.carriers.list()
      const order = await place('+216 20 666 784')
      const parcel = order.deliveries[0]?.id as string
      await client.orders.updateDelivery(parcel, { status: 'delivered', shipping_carrier: carrier?.id as string })
      await page.goto(`${console.home}/deliveries/list?cash=owed&carrier_id=${carrier?.id}`)
      await page.getByRole('checkbox', { name: new RegExp(order.ref) }).check()
      await press(en.parcels.receive)
      const reference = page.getByLabel(en.parcels.reference)
      await reference.fill('T-7')
      const receive = dialog().getByRole('button', { name: en.parcels.receive })
      await lose('**/parcel/cash', () => receive.click())
      expect(await reference.inputValue()).toBe('T-7')
      await receive.click()
      await dialog().waitFor({ state: 'detached' })
      expect((await read(order)).status).toBe('paid')

      await lose('**/parcel/cash', () => press(en.parcels.undo))
      await press(en.controls.retry)
      await page.getByText(en.parcels.reversed).waitFor()
      expect((await read(order)).status).toBe('pending')
      const summary = await client.parcels.getParcelSummary({})
      const owed = summary.find(({ shipping_carrier }) => shipping_carrier.id === carrier?.id)?.cash
      expect(owed?.some(({ owed_parcels }) => owed_parcels > 0)).toBe(true)
      expectNothingElse()
    }, 120_000)
  })
})
