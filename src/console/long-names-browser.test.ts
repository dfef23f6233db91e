import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../client/src/index.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import { type ConsoleBrowser, SHOWN_TEXTS, startConsoleBrowser } from '../../tests/support/console.ts'

const installed = hasBrowser('long names on phones are not tested')

const LONG = 'Couverture en laine tissée à la main par les artisanes de Djerba, pour deux personnes'
const WORD = 'Kairouanhandgewebterwollteppichmitfransen'
const ARABIC = 'بطانية صوفية منسوجة يدويًا من صنع حرفيات جربة، مقاس كبير لشخصين'

/**
 * Words of usual length that are broken or cut, words over each other, and what scrolls sideways: all but addresses of
 * mail, the views above a list, and the cells of the variants, which are a spreadsheet.
 */
const CRAMPED = `(() => {
  const found = []
  const words = []
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  const ancestors = (element) => (element ? [element, ...ancestors(element.parentElement)] : [])
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode
    if (data.includes('@') || parentElement.closest('option, textarea, nav, [aria-rowcount], .hidden')) continue
    if (!parentElement.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) continue
    const boxes = ancestors(parentElement).filter((box) => /hidden|clip/.test(getComputedStyle(box).overflowX))
    const range = document.createRange()
    for (const { 0: word, index } of data.matchAll(/[^\\s\\-–/·،,.]+/g)) {
      range.setStart(walker.currentNode, index)
      range.setEnd(walker.currentNode, index + word.length)
      const parts = [...range.getClientRects()].filter(({ width }) => width > 0.5)
      if (word.length <= 14 && new Set(parts.map(({ top }) => Math.round(top))).size > 1) found.push('broken: ' + word)
      for (const part of parts) {
        words.push({ word, part, parentElement })
        const isCut = boxes.some((box) => {
          const { left, right, top, bottom } = box.getBoundingClientRect()
          return part.right > right + 2 || part.left < left - 2 || part.bottom > bottom + 5 || part.top < top - 5
        })
        if (isCut) found.push('cut: ' + word)
      }
    }
  }
  for (const [place, { word, part, parentElement }] of words.entries())
    for (const other of words.slice(place + 1)) {
      const width = Math.min(part.right, other.part.right) - Math.max(part.left, other.part.left)
      const height = Math.min(part.bottom, other.part.bottom) - Math.max(part.top, other.part.top)
      if (width > 2 && height > 6 && other.parentElement !== parentElement) found.push(word + ' over ' + other.word)
    }
  const tooWide = [document.documentElement, ...document.querySelectorAll('section[tabindex]:not([aria-rowcount])')]
  for (const box of tooWide)
    if (box.scrollWidth > box.clientWidth + 1 && !box.querySelector('[aria-rowcount]'))
      found.push((box.getAttribute('aria-label') ?? 'page') + ' needs ' + box.scrollWidth + ' of ' + box.clientWidth)
  return [...new Set(found)]
})()`

describe.skipIf(!installed)('long names on phones', () => {
  let console: ConsoleBrowser
  let person: Awaited<ReturnType<ConsoleBrowser['signIn']>>
  let page: Page
  let client: Client
  let paths: [path: string, ready: string][]

  beforeAll(async () => {
    console = await startConsoleBrowser()
    person = await console.signIn({}, { width: 390, height: 844 })
    page = person.page
    const getToken = async () => (await person.console.post(`/stores/${console.store}/token`)).body.data
    client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
    const { id: category_id } = await client.categories.create({ name: `Linge de maison et textiles ${WORD}` })
    const product = await client.products.create({
      ...{ title: `${LONG} ${WORD}`, category_id },
      default: { price: 12_345.678, quantity: 30, sku: 'BLANKET-OF-DJERBA-FOR-TWO-0001' },
    })
    const size = (value: string, order: number) => ({ order, value })
    const other = await client.products.create({
      title: ARABIC,
      options: [{ order: 0, name: 'Couleur et motif', values: [size(`Bleu ${WORD}`, 0), size('Rouge', 1)] }],
      variants: [
        { price: 1.5, quantity: 4, values: [size(`Bleu ${WORD}`, 0)] },
        { price: 2, quantity: 2, values: [size('Rouge', 1)] },
      ],
    })
    const bundle = await client.bundles.create({
      product_id: product.id,
      name: `Lot de couvertures ${WORD}`,
      options: [{ name: `Deux couvertures ${WORD}`, quantity: 2, price: 20_000.5 }],
    })
    const name = `Mohamed Abdelrahman ben Abdelkader ${WORD}`
    const customer = await client.customers.create({ name, email: 'mohamed@boutique.example', city: 'Sidi Bou Saïd' })
    const landing = await client.landingPages.create({ title: `${LONG} ${WORD}`, product_id: product.id })
    const ordered = (status: 'paid' | 'pending' | 'abandoned') =>
      client.orders.create({
        ...{ status, customer_email: customer.email, customer_first_name: name, landing_page_id: landing.id },
        ...{ customer_phone: '+216 22 333 444', customer_address: `12 rue ${WORD}`, customer_city: 'Sidi Bou Saïd' },
        variants: [
          { variant_id: product.default?.id as string, quantity: 2 },
          { variant_id: other.variants[0]?.id as string, quantity: 1 },
        ],
      })
    const paid = await ordered('paid')
    await ordered('abandoned')
    await ordered('pending')
    paths = [
      ['', 'figure svg'],
      ['/orders', 'tbody a'],
      [`/orders/${paid.id}`, 'ol li'],
      [`/orders/print?ids=${paid.id}&kind=invoice`, 'article svg'],
      ['/abandoned', 'tbody a'],
      ['/deliveries/list', 'tbody a'],
      ['/products?order_by=updated_at&order_direction=DESC', 'tbody a'],
      [`/products/${product.id}`, 'form h2'],
      [`/products/${other.id}`, '[aria-rowcount] tr'],
      ['/inventory?search=Djerba', 'tbody a'],
      ['/categories', 'main li a'],
      ['/bundles', 'tbody a'],
      [`/bundles?edit=${bundle.id}`, 'dialog fieldset'],
      ['/customers', 'tbody a'],
      [`/customers/${customer.id}`, 'main h2'],
      ['/landing-pages', 'tbody a'],
      [`/landing-pages/${landing.id}`, 'form'],
      ['/reviews?status=all', 'main li strong'],
      ['/files', 'main li img'],
      ...['products', 'landing-pages', 'delivery', 'levels', 'stock'].map((section): [string, string] => [
        `/analytics?section=${section}&from=2026-10-01&own=1`,
        'main table',
      ]),
      ['/analytics?from=2025-12-20&to=2026-01-10&own=1', 'figure svg'],
    ]
  })

  test.each(['en', 'fr', 'ar'] as const)(
    'no page cuts, breaks or covers them: %s',
    async (language) => {
      await person.console.put('/me', { language })
      await page.goto(console.home)
      const found: Record<string, string[]> = {}
      const colons: string[] = []
      for (const [path, ready] of paths) {
        await page.evaluate(`history.pushState(null, '', ${JSON.stringify(console.home + path)})`)
        await expect.poll(() => page.locator(ready).first().isVisible(), { message: path }).toBe(true)
        await expect.poll(() => page.locator('main table[aria-busy]').count()).toBe(0)
        for (const width of [320, 390]) {
          await page.setViewportSize({ width, height: 844 })
          found[`${path} at ${width}`] = await page.evaluate<string[]>(CRAMPED)
        }
        colons.push(
          ...(await page.evaluate<string[]>(SHOWN_TEXTS)).filter((text) => /[\p{L})]: ?$|[\p{L})]: /u.test(text)),
        )
        await page.keyboard.press('Escape')
      }
      expect(Object.entries(found).filter(([, faults]) => faults.length > 0)).toEqual([])
      // A colon has a space before it, but for what the store has typed.
      if (language === 'fr') expect(new Set(colons)).toEqual(new Set(['Candles: three scents to try']))
      expect(person.wrong.splice(0)).toEqual([])
    },
    120_000,
  )
})
