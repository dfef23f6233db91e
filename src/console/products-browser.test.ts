import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient, type Product } from '../../client/src/index.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import {
  accessibilityFaults,
  type ConsoleBrowser,
  holdRequest,
  PASSWORD,
  pasting,
  startConsoleBrowser,
} from '../../tests/support/console.ts'
import { picture } from '../../tests/support/uploads.ts'

const installed = hasBrowser('the product pages of the console are not tested')

const titles = async (page: Page) => {
  await page.locator('table:not([aria-busy])').waitFor()
  return page.locator('tbody a').allInnerTexts()
}

const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('region', { name: 'You have unsaved changes.' }).waitFor({ state: 'detached' })
}

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })

const dropping = (files: { name: string; base64: string }[]) => `(() => {
  const data = new DataTransfer()
  for (const { name, base64 } of ${JSON.stringify(files)}) {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
    data.items.add(new File([bytes], name, { type: 'image/png' }))
  }
  const zone = document.querySelector('input[type=file]').parentElement.parentElement
  zone.dispatchEvent(new DragEvent('dragover', { dataTransfer: data, bubbles: true, cancelable: true }))
  zone.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
})()`

describe.skipIf(!installed)('products in a browser', () => {
  let console: ConsoleBrowser
  let person: Awaited<ReturnType<ConsoleBrowser['signIn']>>
  let page: Page
  let client: Client

  beforeAll(async () => {
    console = await startConsoleBrowser()
    person = await console.signIn()
    page = person.page
    const getToken = async () => (await person.console.post(`/stores/${console.store}/token`)).body.data
    client = createClient({ baseUrl: `${console.site}/api/apps/v1`, getToken })
  })

  afterEach(() => {
    // Refusals that a test provokes are told by the browser, too.
    expect(
      person.wrong.splice(0).filter((text) => !/status of (4\d\d|503)|INTERNET_DISCONNECTED|ERR_FAILED/.test(text)),
    ).toEqual([])
  })

  const open = async (id: string) => {
    await page.goto(`${console.home}/products/${id}`)
    await page.locator('form').waitFor()
  }

  test('the list keeps filters, search and views in the URL, and its rows are links', async () => {
    await page.goto(`${console.home}/products`)
    await page.locator('tbody a').first().waitFor()
    const all = await titles(page)
    await page.getByRole('link', { name: 'Out of stock' }).click()
    await expect.poll(async () => (await titles(page)).length).toBeLessThan(all.length)
    expect(new URL(page.url()).searchParams.get('out_of_stock')).toBe('true')
    await page.getByRole('button', { name: 'Save view' }).waitFor({ state: 'detached' })
    await field(page, 'Category').selectOption({ label: 'Textiles' })
    await expect.poll(() => page.url()).toContain('category=')
    const [first = ''] = await titles(page)
    const href = await page.getByRole('link', { name: first }).getAttribute('href')
    expect(href).toMatch(/\/products\/[0-9a-f-]{36}$/)
    const filtered = page.url()
    await page.getByRole('link', { name: first }).click()
    await page.locator('form').waitFor()
    await page.goBack()
    await expect.poll(() => page.url()).toBe(filtered)
    expect((await titles(page))[0]).toBe(first)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.keyboard.press('/')
    await page.keyboard.type('f')
    await expect.poll(() => page.url()).toContain('search=f')
    await page.keyboard.type('outa')
    await expect.poll(async () => (await titles(page)).every((title) => /fouta/i.test(title))).toBe(true)
    await page.goForward()
  })

  test('a product is created: pictures are dropped and sorted by mouse and keyboard, options and variants are added', async () => {
    await page.goto(`${console.home}/products/new`)
    await field(page, 'Title').fill('Hand-blown glass')
    await field(page, 'Price (TND)').fill('12,5')
    const colours = ['#cc3333', '#33cc33', '#3333cc']
    const files = await Promise.all(
      colours.map(async (colour, n) => ({
        name: `glass-${n}.png`,
        base64: (await picture('png', { colour })).toString('base64'),
      })),
    )
    await page.evaluate(dropping([...files, { name: 'broken.png', base64: btoa('no picture at all') }]))
    const pictures = page.getByRole('img', { name: /^Picture \d/ })
    await expect.poll(() => pictures.count()).toBe(4)
    await page.getByRole('button', { name: 'Remove picture 4' }).click()
    const sources = () =>
      pictures.evaluateAll((images) => images.map((image) => (image as unknown as { src: string }).src))
    const [red, green, blue] = await sources()
    await pictures.nth(2).dragTo(pictures.nth(0))
    await expect.poll(sources).toEqual([blue, red, green])
    await page.getByRole('button', { name: 'Picture 3: move with the arrow keys' }).focus()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(sources).toEqual([blue, green, red])
    await page.getByRole('button', { name: 'Picture 1: alternative text' }).click()
    await page.getByRole('dialog').getByLabel('Alternative text').fill('A blue glass')
    await page.getByRole('button', { name: 'Apply' }).click()

    await page.getByRole('button', { name: 'Add category' }).click()
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Glassware')
    await page.keyboard.press('Enter')
    await expect.poll(() => field(page, 'Category').locator('option:checked').innerText()).toBe('Glassware')

    await page.getByRole('button', { name: 'Add option' }).click()
    await field(page, 'Name of the option').fill('Size')
    for (const value of ['Small', 'Large']) {
      await field(page, 'Add a value to Size').fill(value)
      await page.keyboard.press('Enter')
    }
    await field(page, 'Price: Large').fill('cheap')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').getByText('Large').waitFor()
    expect(await field(page, 'Price: Large').getAttribute('aria-invalid')).toBe('true')
    await field(page, 'Price: Large').fill('15')
    await save(page)
    await page.waitForURL(/\/products\/[0-9a-f-]{36}$/)
    const id = page.url().split('/').at(-1) as string
    const product = await client.products.get(id)
    expect(product).toMatchObject({
      title: 'Hand-blown glass',
      category: { name: 'Glassware' },
      images: [{ alt: 'A blue glass', name: 'glass-2.png' }, { name: 'glass-1.png' }, { name: 'glass-0.png' }],
      variants: [
        { title: 'Small', price: 12.5 },
        { title: 'Large', price: 15 },
      ],
    })

    // A variant has one of the product's pictures; a product has videos.
    await page.getByRole('button', { name: 'Picture of Large' }).click()
    await page.getByRole('radio', { name: 'A blue glass' }).check({ force: true })
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await page.locator('input[type=file]').nth(1).setInputFiles('src/demo/media/lamp-car.webm')
    await page.getByLabel('Video 1', { exact: true }).waitFor()
    await save(page)
    const filmed = await client.products.get(id)
    expect(filmed.ugc_videos).toMatchObject([{ name: 'lamp-car.webm' }])
    expect(filmed.variants.map(({ image }) => image?.id)).toEqual([undefined, product.images[0]?.id])

    // A copy is another product, and is deleted with the page that offers to undo it.
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await expect.poll(() => field(page, 'Title').inputValue()).toBe('Hand-blown glass (copy)')
    await save(page)
    await page.waitForURL(/\/products\/[0-9a-f-]{36}$/)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete product' }).click()
    await page.waitForURL(/\/products$/)
    await page.goto('about:blank')
    const found = async () => (await client.products.list({ search: 'Hand-blown' })).products.map(({ title }) => title)
    await expect.poll(found).toEqual(['Hand-blown glass'])
  })

  test('pictures that are on their way belong to the product that is saved, and a lost one stops it', async () => {
    await page.goto(`${console.home}/products/new`)
    await field(page, 'Title').fill('Basket')
    const release = await holdRequest(page, '**/apps/v1/file*')
    const choose = async (name: string, colour: string) =>
      page
        .locator('input[type=file]')
        .first()
        .setInputFiles({ name, mimeType: 'image/png', buffer: await picture('png', { colour }) })
    await choose('basket.png', '#a52a2a')
    await page.getByRole('progressbar', { name: 'basket.png' }).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    release()
    await page.waitForURL(/\/products\/[0-9a-f-]{36}$/)
    const id = page.url().split('/').at(-1) as string
    expect(await client.products.get(id)).toMatchObject({ title: 'Basket', images: [{ name: 'basket.png' }] })

    await page.route('**/apps/v1/file*', (route) =>
      route.fulfill({ status: 422, json: { code: 'validation_failed', message: 'No.', errors: { file: ['No.'] } } }),
    )
    await field(page, 'Title').fill('Basket of reed')
    await choose('reed.png', '#aaa52a')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('A file was not uploaded.').waitFor()
    expect((await client.products.get(id)).title).toBe('Basket')
    await page.unroute('**/apps/v1/file*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await save(page)
    expect(await client.products.get(id)).toMatchObject({
      title: 'Basket of reed',
      images: [{ name: 'basket.png' }, { name: 'reed.png' }],
    })
    await client.products.delete(id)
  })

  test('a description gets marks by keyboard and button, is shown with them and nothing else, and is stored as Markdown', async () => {
    const { id } = await client.products.create({ title: 'Teapot', default: { price: 5 } })
    await open(id)
    const text = field(page, 'Description')
    const preview = page.getByRole('region', { name: 'Preview' })
    await text.focus()
    await page.keyboard.press('Control+b')
    await page.keyboard.type('Hand-painted')
    await preview.locator('strong', { hasText: 'Hand-painted' }).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.type('\n- one litre\ntwo cups\n\n<img src=x onerror=alert(1)> [bad](javascript:alert(1)) site')
    await page.keyboard.press('Control+Shift+ArrowLeft')
    await page.getByRole('button', { name: 'Link', exact: true }).click()
    await page.keyboard.type('https://shop.example')
    const written =
      '**Hand-painted**\n- one litre\n- two cups\n<img src=x onerror=alert(1)> [bad](javascript:alert(1)) [site](https://shop.example)'
    await expect.poll(() => text.inputValue()).toBe(written)
    expect(await preview.locator('li').allInnerTexts()).toEqual(['one litre', 'two cups'])
    expect(await preview.locator('a').evaluateAll((links) => links.map(String))).toEqual(['https://shop.example/'])
    expect(await preview.locator('img').count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Numbered list' }).click()
    await expect.poll(() => text.inputValue()).toContain('\n1. <img')
    await page.keyboard.press('Control+z')
    await expect.poll(() => text.inputValue()).toBe(written)
    await save(page)
    expect((await client.products.get(id)).description).toBe(written)

    await client.products.update(id, { description: '<p>Clay &amp; <b>glaze</b></p><script>alert(1)</script>' })
    await open(id)
    await preview.getByText('Clay & glaze').waitFor()
    expect(await preview.innerText()).toBe('Clay & glaze')
    await page.getByRole('button', { name: 'Turn HTML into marks' }).click()
    await expect.poll(() => text.inputValue()).toBe('Clay & **glaze**')
    await save(page)
    expect((await client.products.get(id)).description).toBe('Clay & **glaze**')
  })

  test('the file of a digital product is uploaded, replaced and removed', async () => {
    const { id } = await client.products.create({ title: 'Songbook', is_digital: true, default: { price: 5 } })
    await open(id)
    await page.getByText('No file yet').waitFor()
    for (const name of ['first.txt', 'second.txt']) {
      await page
        .locator('input[type=file]')
        .last()
        .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })
      await page.getByRole('button', { name: `Remove ${name}` }).waitFor()
    }
    await save(page)
    expect((await client.products.get(id)).default?.file).toMatchObject({ name: 'second.txt' })
    await page.getByRole('button', { name: 'Remove second.txt' }).click()
    await save(page)
    expect((await client.products.get(id)).default?.file).toBeNull()
  })

  test('of 2,000 variants only the visible ones are rendered, a block of cells can be pasted, and only changes are sent', async () => {
    const values = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n + 1}`)
    const [sizes, colours] = [values('S', 50), values('C', 40)]
    const { id } = await client.products.create({
      title: 'Many',
      options: [
        { name: 'Size', values: sizes.map((value) => ({ value })) },
        { name: 'Colour', values: colours.map((value) => ({ value })) },
      ],
      variants: sizes.flatMap((size) =>
        colours.map((colour) => ({ price: 10, quantity: 5, values: [{ value: size }, { value: colour }] })),
      ),
    })
    await open(id)
    const grid = page.getByRole('table', { name: 'Variants' })
    await grid.waitFor()
    expect(await grid.getAttribute('aria-rowcount')).toBe('2001')
    expect(await grid.locator('tbody tr').count()).toBeLessThan(60)
    await field(page, 'SKU: S1 / C2').focus()
    const block = Array.from({ length: 30 }, (_, n) => `SKU-${n}\t${n + 1},5\t\t${n}`).join('\r\n')
    await page.evaluate(pasting(block))
    await page.getByText('120 cells pasted').waitFor()
    expect(await field(page, 'Price: S1 / C3').inputValue()).toBe('2,5')
    // Down by keyboard, further than what is drawn.
    await field(page, 'Quantity: S1 / C2').focus()
    for (let step = 0; step < 16; step++) await page.keyboard.press(step % 2 ? 'ArrowDown' : 'Enter')
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('Quantity: S1 / C18')
    await page.getByLabel('Find a variant').fill('s50 / c40')
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('2')
    await field(page, 'Column').selectOption('quantity')
    await page.getByPlaceholder('Value', { exact: true }).first().fill('99')
    await page.getByRole('button', { name: 'Fill 1 row' }).click()
    const sending = page.waitForRequest((request) => request.url().endsWith(`/product/${id}/update`))
    await save(page)
    const request = await sending
    expect(request.headers()['if-match']).toBeTruthy()
    const body = JSON.parse(request.postData() ?? '{}')
    expect(Object.keys(body)).toEqual(['variants'])
    expect(body.variants).toHaveLength(31)
    expect(body.variants[3]).toEqual({ id: expect.any(String), sku: 'SKU-3', price: 4.5, quantity: 3 })
    expect(body.variants[30]).toEqual({ id: expect.any(String), quantity: 99 })
    const { variants } = await client.products.get(id)
    expect(variants[1]).toMatchObject({ sku: 'SKU-0', price: 1.5, quantity: 0 })
    expect(variants.at(-1)).toMatchObject({ quantity: 99, price: 10 })
    // Saved in the same moment as it is typed, before anything of it is drawn but the cell.
    await field(page, 'Price: S50 / C40').focus()
    const saved = page.waitForResponse((response) => response.url().endsWith(`/product/${id}/update`))
    await page.evaluate(`
      document.activeElement.select()
      document.execCommand('insertText', false, '12,75')
      window.dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true, bubbles: true }))`)
    expect((await saved).status()).toBe(200)
    expect((await client.products.get(id)).variants.at(-1)).toMatchObject({ price: 12.75, quantity: 99 })
  })

  test('two tabs: stock that was sold is no conflict, other changes show both versions', async () => {
    const { id } = await client.products.create({ title: 'Teapot', default: { price: 30, quantity: 9 } })
    await open(id)
    await field(page, 'Title').fill('Blue teapot')
    await client.products.update(id, { default: { quantity_delta: -1 } })
    await save(page)
    expect(await client.products.get(id)).toMatchObject({ title: 'Blue teapot', default: { quantity: 8 } })

    const other = await console.newTab(person.context)
    await other.page.goto(page.url())
    await field(other.page, 'Title').fill('Red teapot')
    await field(other.page, 'Description').fill('Fired twice.')
    await field(page, 'Title').fill('Green teapot')
    await field(page, 'Price (TND)').fill('35')
    await save(other.page)
    await other.page.close()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Changed by somebody else' })
    await dialog.getByText('Fired twice.').waitFor()
    await dialog.getByText('Green teapot').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Keep editing' }).click()
    expect(await field(page, 'Title').inputValue(), 'what was typed stays').toBe('Green teapot')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.getByLabel('Take theirs: Title').check()
    await dialog.getByRole('button', { name: 'Save this' }).click()
    await page.getByRole('region', { name: 'You have unsaved changes.' }).waitFor({ state: 'detached' })
    expect(await client.products.get(id)).toMatchObject({
      title: 'Red teapot',
      description: 'Fired twice.',
      default: { price: 35, quantity: 8 },
    })
    expect(other.wrong).toEqual([])
  })

  test('leaving with unsaved changes asks first, and neither an expired session nor a lost connection loses input', async () => {
    const { id } = await client.products.create({ title: 'Bowl' })
    await page.goto(`${console.home}/products`)
    await page.getByRole('link', { name: 'Bowl', exact: true }).click()
    await field(page, 'Title').fill('Deep bowl')
    const here = page.url()
    const asked: string[] = []
    const refuse = (dialog: { message: () => string; dismiss: () => Promise<void> }) => {
      asked.push(dialog.message())
      return dialog.dismiss()
    }
    page.on('dialog', refuse)
    await page.getByRole('link', { name: 'Orders', exact: true }).click()
    await page.goBack()
    await page.locator('h1').focus()
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await expect.poll(() => asked.length).toBe(3)
    expect(page.url()).toBe(here)
    expect(await field(page, 'Title').inputValue()).toBe('Deep bowl')
    page.off('dialog', refuse)

    await person.context.setOffline(true)
    await page.getByText('You are offline.').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const bar = page.getByRole('region', { name: 'You have unsaved changes.' })
    await bar.getByText('No answer came from the service.').waitFor()
    await person.context.setOffline(false)
    await page.route('**/product/*/update', (route) =>
      route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Away for a moment.', errors: {} } }),
    )
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await bar.getByText('The service cannot answer at the moment.').waitFor()
    await page.unroute('**/product/*/update')

    // The browser's session and its token end: the page asks to sign in over itself, and the save goes on.
    await person.context.clearCookies()
    await page.route(
      '**/product/*/update',
      (route) => route.fulfill({ status: 401, json: { code: 'token_expired', message: 'Expired.', errors: {} } }),
      { times: 1 },
    )
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const signIn = page.getByRole('dialog', { name: 'Sign in again' })
    await signIn.waitFor()
    expect(await field(page, 'Title').inputValue(), 'the page is still there').toBe('Deep bowl')
    await page.keyboard.type('wrong wrong wrong')
    await page.keyboard.press('Enter')
    await signIn.getByText('The email or the password is wrong.').waitFor()
    await signIn.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await bar.waitFor({ state: 'detached' })
    expect(page.url()).toBe(here)
    expect((await client.products.get(id)).title).toBe('Deep bowl')
    expect((await page.locator('h1').innerText()).trim()).toBe('Deep bowl')
    await page.getByRole('link', { name: 'Orders', exact: true }).click()
    await page.getByRole('heading', { name: 'Orders' }).waitFor()
  })

  test('a failed save says how many problems there are, and moves to the first one in the words of the page', async () => {
    const { id } = await client.products.create({ title: 'Plate' })
    await open(id)
    await field(page, 'Title').fill('')
    await page.getByLabel('Page title').fill('Plates')
    await field(page, 'Price (TND)').fill('-1')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const bar = page.getByRole('region', { name: 'You have unsaved changes.' })
    await bar.getByText('Not saved: 2 problems.').waitFor()
    const focused = () =>
      page.evaluate<string>('document.activeElement.getAttribute("aria-invalid") + document.activeElement.name')
    expect(await focused()).toBe('truetitle')
    await page.getByText('Fill this in.').waitFor()
    const box = await field(page, 'Title').boundingBox()
    expect(box?.y, 'in sight').toBeGreaterThan(0)
    expect(box?.y).toBeLessThan(800)
    await field(page, 'Price (TND)').focus()
    await bar.getByRole('button', { name: 'Go to the first' }).click()
    expect(await focused()).toBe('truetitle')
    await field(page, 'Title').fill('Plate')
    await field(page, 'Price (TND)').fill('1')

    // What is no picture says so at its place.
    const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('Not a picture.') }
    await page.locator('input[type=file]').first().setInputFiles(note)
    await page.locator('li[draggable=true]').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await bar.getByText('Not saved: 1 problem.').waitFor()
    await page.getByText('Picture 1: This file is not a picture.').waitFor()
    expect(await page.evaluate('document.activeElement.matches("li[draggable]")')).toBe(true)
    await page.getByRole('button', { name: 'Remove picture 1' }).click()
    await save(page)
    expect(await client.products.get(id)).toMatchObject({ title: 'Plate', page_title: 'Plates', images: [] })
  })

  test('a form that creates does so once, although its first answer was lost', async () => {
    const loseAnswers = () =>
      page.route(/\/api\/apps\/v1\/(product|category)$/, async (route) => {
        await route.fetch()
        await route.abort()
      })
    const made = async (title: string) => (await client.products.list({ search: title, page_size: 10 })).products
    for (const { typed, changed } of [
      { typed: 'Jar seventeen', changed: 'Jar seventeen' },
      { typed: 'Jar eighteen', changed: 'Jar eighteen, blue' },
    ]) {
      await page.goto(`${console.home}/products/new`)
      await field(page, 'Title').fill(typed)
      await loseAnswers()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('No answer came from the service.').waitFor()
      await page.unroute(/\/api\/apps\/v1\/(product|category)$/)
      // What was changed meanwhile goes to the product that the first attempt made.
      await field(page, 'Title').fill(changed)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('heading', { name: changed }).waitFor()
      expect((await made(typed)).map(({ title }) => title)).toEqual([changed])
    }
    await page.goto(`${console.home}/categories`)
    await page.getByRole('button', { name: 'Add category' }).click()
    await field(page, 'Name').fill('Once')
    await loseAnswers()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('No answer came from the service.').waitFor()
    await page.unroute(/\/api\/apps\/v1\/(product|category)$/)
    await field(page, 'Name').press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const { categories } = await client.categories.list({ page_size: 100 })
    const once = categories.filter(({ name }) => name === 'Once')
    expect(once).toHaveLength(1)
    await client.categories.delete(once[0]?.id as string)
  })

  test('many products are changed at once: preview, progress, and what failed stays selected', async () => {
    const names = ['Cup 1', 'Cup 2', 'Cup 3']
    const cups: Product[] = []
    for (const [n, title] of names.entries())
      cups.push(await client.products.create({ title, default: { price: 10 * (n + 1), quantity: n } }))
    await page.goto(`${console.home}/products?search=cup`)
    await page.locator('tbody a').first().waitFor()
    for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What to change').selectOption('price')
    await dialog.getByLabel('How').selectOption('percent')
    await dialog.getByLabel('Value (%)').fill('10')
    await dialog.getByText('3 of 3 will change.').waitFor()
    await dialog.getByRole('row', { name: 'Cup 2 TND 20.000 TND 22.000' }).waitFor()
    await dialog.getByRole('button', { name: 'Change 3 products' }).click()
    await dialog.waitFor({ state: 'detached' })
    const prices = async () => Promise.all(cups.map(async ({ id }) => (await client.products.get(id)).default?.price))
    expect(await prices()).toEqual([11, 22, 33])
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('3 products are as before').waitFor()
    expect(await prices()).toEqual([10, 20, 30])

    for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
    await page.getByRole('button', { name: 'Change…' }).click()
    await dialog.getByLabel('What to change').selectOption('stock')
    await dialog.getByLabel('How').selectOption('add')
    await dialog.getByLabel('Value').fill('-1')
    await dialog.getByRole('button', { name: 'Change 3 products' }).click()
    await dialog.getByRole('alert').getByText('1 product was not changed and stays selected').waitFor()
    await dialog.getByRole('alert').getByText('Cup 1').waitFor()
    await dialog.getByText('1 of 1 will change.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    // A second attempt is for the one that failed: the others lose no second unit.
    await dialog.getByRole('button', { name: 'Change 1 product' }).click()
    await dialog.getByRole('alert').getByText('Cup 1').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('1 selected').waitFor()
    expect(await page.getByRole('checkbox', { name: 'Select Cup 1' }).isChecked()).toBe(true)
    const last = async () => (await client.products.get(cups[2]?.id as string)).default?.quantity
    expect(await last()).toBe(1)
    // What is ordered before the stock is taken back stays ordered.
    await client.orders.create({ variants: [{ variant_id: cups[2]?.default?.id as string, quantity: 1 }] })
    // The answer to «Undo» is lost: it is offered again, and gives back once.
    await page.route('**/apps/v1/bulk?*', async (route) => {
      await route.fetch()
      await route.abort('failed')
    })
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
    const again = page.getByRole('status').getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await page.unroute('**/apps/v1/bulk?*')
    await again.click()
    await page.getByText('2 products are as before').waitFor()
    expect(await last()).toBe(1)
  })

  test('text from a store is shown as text, never as markup', async () => {
    const title = '<img src=x onerror="window.hit = true"><b>Bowl</b>'
    const { id } = await client.products.create({ title, description: title, default: { price: 5 } })
    await page.goto(`${console.home}/products`)
    await page.getByText(title, { exact: true }).first().waitFor()
    await open(id)
    await page.getByRole('heading', { name: title }).waitFor()
    expect(await page.evaluate('window.hit')).toBeUndefined()
    expect(await page.locator('main img[src=x], main b').count()).toBe(0)
  })

  test('categories are added, renamed and deleted', async () => {
    await page.goto(`${console.home}/categories`)
    const dialog = page.getByRole('dialog')
    const focused = () => page.evaluate<string>('document.activeElement.innerText || document.activeElement.value')
    await page.getByRole('button', { name: 'Add category' }).click()
    await dialog.waitFor()
    // The first field has the focus, Enter saves, and what was pressed gets the focus back.
    await page.keyboard.type('Textiles')
    await page.keyboard.press('Enter')
    await page.getByText('This belongs to another category.').waitFor()
    expect(await focused(), 'the field at fault').toBe('Textiles')
    await field(page, 'Name').fill('Carpets')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect(await focused()).toBe('Add category')
    // Somebody else is quicker: what was typed stays, and nothing is written over.
    await page.getByRole('button', { name: 'Rename Carpets' }).click()
    await field(page, 'Name').fill('Rugs')
    const { categories: all } = await client.categories.list({ page_size: 100 })
    const { id = '' } = all.find(({ name }) => name === 'Carpets') ?? {}
    await client.categories.update(id, { name: 'Kilims' })
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Somebody else has changed this meanwhile.').waitFor()
    expect(await field(page, 'Name').inputValue()).toBe('Rugs')
    page.once('dialog', (question) => question.accept())
    await dialog.getByRole('button', { name: 'Load newest version' }).click()
    await page.getByRole('button', { name: 'Rename Kilims' }).click()
    await field(page, 'Name').fill('Rugs')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Delete Rugs' }).click()
    await page.getByRole('link', { name: 'Rugs' }).waitFor({ state: 'detached' })
    await page.goto('about:blank')
    const names = async () => (await client.categories.list({ page_size: 100 })).categories.map(({ name }) => name)
    await expect.poll(names).not.toContain('Rugs')
  })
})
