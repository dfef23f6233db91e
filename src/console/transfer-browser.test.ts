import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../tests/support/browser.ts'
import { type ConsoleBrowser, PASSWORD, startConsoleBrowser } from '../../tests/support/console.ts'
import { temporaryFolder } from '../../tests/support/server-process.ts'

const installed = hasBrowser('import and export are not tested in a browser')

describe.skipIf(!installed)('import and export in a browser', () => {
  let console: ConsoleBrowser
  let page: Page
  let wrong: string[]
  const open = (where: string) => page.goto(console.home + where)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const dialog = () => page.getByRole('dialog')
  const folder = temporaryFolder('console-transfer')
  const write = async (name: string, content: string | Buffer) => {
    const file = path.join(await folder, name)
    await writeFile(file, content)
    return file
  }
  const choose = async (file: string) => page.locator('input[type=file]').setInputFiles(file)
  const saved = async (act: () => Promise<unknown>) => {
    const [download] = await Promise.all([page.waitForEvent('download'), act()])
    return readFile(await download.path(), 'utf8')
  }
  const variantOf = async (sku: string) =>
    (
      await sql<{ price: string; quantity: number; title: string }>`
        select v.price::text as price, v.quantity, p.title from variant v
        join product p on p.store_id = v.store_id and p.id = v.product_id
        where v.store_id = ${console.store} and v.sku = ${sku}`.execute(console.db)
    ).rows
  const jobs = async () =>
    (
      await sql<{
        n: number
      }>`select count(*)::int as n from bulk_job where store_id = ${console.store} and not dry_run`.execute(console.db)
    ).rows[0]?.n

  beforeAll(async () => {
    console = await startConsoleBrowser()
    const signedIn = await console.signIn()
    page = signedIn.page
    wrong = signedIn.wrong
  })

  test('a price list: columns are mapped, the preview shows before and after, and a lost answer imports once', async () => {
    const [before] = await variantOf('TAJIN-Z')
    const file = await write(
      'prices.csv',
      'SKU;Nouveau tarif;Stock;Remarque\r\nTAJIN-Z;12,5 DT;7;x\r\n\r\nTAJIN-Z-NEW;30;4;y\r\n',
    )
    await open('/products')
    await page.locator('tbody a').first().waitFor()
    await press('Import')
    await choose(file)
    // What the header says is recognized; the price is named by hand.
    await page.getByLabel('What it is: SKU').waitFor()
    expect(await page.getByLabel('What it is: Stock').inputValue()).toBe('quantity')
    expect(await page.getByLabel('What it is: Remarque').inputValue()).toBe('')
    await page.getByLabel('What it is: Nouveau tarif').selectOption('price')
    await page.getByLabel('What it is: Remarque').selectOption('title')
    await press('Check the file')
    await page.getByRole('heading', { name: 'Rows with problems' }).waitFor()
    await page.getByText('Row 2', { exact: true }).waitFor()
    await page.getByText('Price: Enter a number').waitFor()
    expect((await variantOf('TAJIN-Z'))[0], 'checking changes nothing').toEqual(before)

    const mended = 'SKU;Nouveau tarif;Stock;Remarque\r\nTAJIN-Z;12.5;7;\r\n\r\nTAJIN-Z-NEW;30;4;New tagine\r\n'
    await choose(await write('prices.csv', mended))
    // What was named by hand stays, as the columns are the same.
    await page.getByLabel('What it is: Nouveau tarif').waitFor()
    expect(await page.getByLabel('What it is: Nouveau tarif').inputValue()).toBe('price')
    expect(await page.getByLabel('What it is: Remarque').inputValue()).toBe('title')
    await press('Check the file')
    const preview = page.getByRole('region', { name: 'What will change' }).first()
    await preview.getByText('New tagine').waitFor()
    const row = preview.locator('tr', { hasText: before?.title ?? '' })
    await row.getByText('TND 12.500').waitFor()
    expect(await row.innerText()).toMatch(/Stock:\s*\d+\s*7/)

    // The request arrives, and its answer is lost twice: the client tries again, and so does the merchant.
    const started = await jobs()
    let lost = 0
    await page.route('**/bulk?resource=product*', async (route) => {
      if (lost++ >= 2) return route.continue()
      await route.fetch()
      await route.abort('connectionreset')
    })
    await press('Import 2 rows')
    await page.getByText('No answer came from the service').waitFor()
    await press('Import 2 rows')
    await page.getByRole('heading', { name: 'Import finished' }).or(page.getByText('Import finished')).first().waitFor()
    await page.unroute('**/bulk?resource=product*')
    expect(await jobs()).toBe((started ?? 0) + 1)
    expect(await variantOf('TAJIN-Z')).toEqual([{ ...before, price: '12.500', quantity: 7 }])
    expect(await variantOf('TAJIN-Z-NEW')).toMatchObject([{ price: '30.000', quantity: 4, title: 'New tagine' }])
    await page.reload()
    await page.getByText('1 new').waitFor()
    await page.getByText('1 updated').waitFor()
    const result = await saved(() => press('Download the result'))
    expect(result).toMatch(/^\uFEFFRow,Result,Id,Problem\r\n2,updated,[0-9a-f-]{36},\r\n4,added,/)
    expect(wrong.splice(0).filter((text) => !/ERR_CONNECTION_RESET|ERR_FAILED/.test(text))).toEqual([])
  })

  test('products leave in three formats, and each file changes nothing when it comes back', async () => {
    for (const [format, label] of [
      ['own', 'This console or a spreadsheet'],
      ['shopify', 'Shopify'],
      ['woocommerce', 'WooCommerce'],
    ] as const) {
      await open('/products?search=fouta')
      await page.locator('tbody a').first().waitFor()
      await press('Export')
      await dialog().getByLabel('Format').selectOption({ label })
      const text = await saved(() => dialog().getByRole('button', { name: 'Download' }).click())
      await dialog().waitFor({ state: 'detached' })
      await open('/import?resource=product')
      await choose(await write(`${format}.csv`, text))
      await page.getByLabel('Format').waitFor()
      expect(await page.getByLabel('Format').inputValue()).toBe(format)
      await press('Check the file')
      await page.getByText(/^\d+ updated$/).waitFor()
      const preview = page.getByRole('region', { name: 'What will change' }).first()
      await preview.getByText('No change').first().waitFor()
      await expect.poll(() => preview.locator('tbody tr').count()).toBe(await preview.getByText('No change').count())
      expect(await page.getByRole('heading', { name: 'Rows with problems' }).count()).toBe(0)
    }
    expect(wrong).toEqual([])
  }, 120_000)

  test('files of spreadsheets in any language are read, and what is no CSV is refused in the words of the page', async () => {
    const text = 'SKU;Title;Price\r\nTEXT-1;Café crème;12,345\r\n'
    const arabic = Buffer.concat([
      Buffer.from('SKU;Title;Price\r\nTEXT-2;'),
      Buffer.from([0xde, 0xe5, 0xe6, 0xc9]),
      Buffer.from(';١٢٫٥\r\n'.replace('١٢٫٥', '12,5')),
    ])
    const bigEndian = Buffer.from(`\ufeff${text}`, 'utf16le').swap16()
    for (const [name, content, expected] of [
      ['latin.csv', Buffer.from(text, 'latin1'), 'Café crème'],
      ['unicode.csv', Buffer.from(`\ufeff${text}`, 'utf16le'), 'Café crème'],
      ['unicode-be.csv', bigEndian, 'Café crème'],
      ['arabic.csv', arabic, 'قهوة'],
    ] as const) {
      await open('/import?resource=product')
      await choose(await write(name, content))
      await press('Check the file')
      await page.getByText('1 new').waitFor()
      expect(await page.locator('main table').first().innerText(), name).toContain(expected)
    }
    await press('Import 1 row')
    await page.getByText('Import finished').waitFor()
    expect(await variantOf('TEXT-2')).toMatchObject([{ price: '12.500', title: 'قهوة' }])
    for (const [where, name] of [
      ['/import?resource=product', 'prices.xlsx.csv'],
      ['/deliveries/import', 'results.csv'],
    ] as const) {
      await open(where)
      await choose(await write(name, Buffer.from('504b030414000800', 'hex')))
      await page.getByText('This is a file of a spreadsheet program.').waitFor()
      await choose(await write(name, 'SKU,Title\nA,"One\nB,Two\n'))
      await page.getByText('A quote that is opened in row 2 is never closed').waitFor()
    }
    expect(wrong.splice(0)).toEqual([])
  }, 120_000)

  test('customers come from Shopify; their session ends in between, and nothing is lost', async () => {
    const header = 'First Name,Last Name,Email,Default Address City,Default Address Country Code,Phone\n'
    await open('/customers')
    await page.locator('tbody a').first().waitFor()
    await press('Import')
    await choose(
      await write('customers.csv', `${header}Zohra,Test,zohra@shop.example,Sfax,TN,'+21620765432\nBad,Row,nobody,,,\n`),
    )
    await page.getByLabel('Format').waitFor()
    expect(await page.getByLabel('Format').inputValue()).toBe('shopify')
    await page.context().clearCookies()
    await page.route(
      '**/bulk?resource=customer*',
      (route) => route.fulfill({ status: 401, json: { code: 'token_expired', message: 'Expired.', errors: {} } }),
      { times: 1 },
    )
    await press('Check the file')
    const signIn = page.getByRole('dialog', { name: 'Sign in again' })
    await signIn.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await signIn.waitFor({ state: 'detached' })
    await page.getByText('Row 3', { exact: true }).waitFor()
    await page.getByText('Email: Enter an email address').waitFor()
    await press('Import 1 row')
    await page.getByText('Import finished').waitFor()
    const { rows } = await sql`
      select name, city, country_id, phone from customer
      where store_id = ${console.store} and email = 'zohra@shop.example'`.execute(console.db)
    expect(rows).toEqual([{ name: 'Zohra Test', city: 'Sfax', country_id: 'TN', phone: '+21620765432' }])
    expect(wrong.splice(0).filter((text) => !/status of 401/.test(text))).toEqual([])
  })

  test('20,000 rows: the page stays usable, progress survives a reload, and a stopped import keeps what is done', async () => {
    const fileOf = (length: number) =>
      write(
        'many.csv',
        `email,name,city\n${Array.from({ length }, (_, n) => `many-${n}@shop.example,Many ${n},Tunis\n`).join('')}`,
      )
    await open('/import?resource=customer')
    await choose(await fileOf(20_000))
    await page.getByLabel('What it is: email').waitFor()
    // The longest time in which the page drew nothing.
    await page.evaluate(`(() => {
      let last = performance.now()
      window.longest = 0
      const tick = () => {
        const now = performance.now()
        window.longest = Math.max(window.longest, now - last)
        last = now
        requestAnimationFrame(tick)
      }
      requestAnimationFrame(tick)
    })()`)
    await press('Check the file')
    await page.getByText(/of 20,000/).waitFor()
    await expect.poll(() => page.getByText(/^[\d,]+ of 20,000/).innerText(), { timeout: 60_000 }).not.toMatch(/^0 /)
    const longest = await page.evaluate<number>('window.longest')
    globalThis.console.log(`20,000 rows: longest pause ${Math.round(longest)} ms`)
    expect(longest).toBeLessThan(2_500)
    // Another file: the check of the first one is stopped.
    await choose(await fileOf(3_000))
    await press('Check the file')
    await page.getByText('3,000 new').waitFor({ timeout: 180_000 })
    await press('Import 3,000 rows')
    await page.getByText(/You can close this page/).waitFor()
    await page.reload()
    await page.getByText(/You can close this page/).waitFor()
    await expect.poll(() => page.getByText(/^[\d,]+ of 3,000/).innerText(), { timeout: 60_000 }).not.toMatch(/^0 /)
    await press('Stop')
    await dialog().getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Import stopped').waitFor()
    const { rows: found } = await sql<{ n: number }>`
      select count(*)::int as n from customer where store_id = ${console.store} and email like 'many-%'`.execute(
      console.db,
    )
    expect(found[0]?.n).toBeGreaterThan(0)
    expect(found[0]?.n).toBeLessThan(3_000)
    await open('/import?resource=customer')
    await page.getByText('Recent imports').waitFor()
    await page.getByRole('link', { name: /3,000 rows/ }).click()
    await page.getByText('Import stopped').waitFor()
    expect(wrong).toEqual([])
  }, 400_000)
})
