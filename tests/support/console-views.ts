import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Client } from '../../client/src/index.ts'
import { COMMAND_LINE } from '../../src/resources/accounts/audit.ts'
import { invite } from '../../src/resources/accounts/invitations.ts'
import { createStaffRole } from '../../src/resources/accounts/staff-roles.ts'
import { createPlan } from '../../src/resources/plans/manage-plans.ts'
import type { ConsoleBrowser } from './console.ts'
import type { ConsoleWords, Language } from './console-words.ts'

export interface View {
  name: string
  /** Path below the store's home; undefined for a view that opens over the current page. */
  path?: string
  /** The path is below `/console`. */
  isService?: boolean
  ready: string
  open?: () => Promise<unknown>
  /** What is new in a view without a path: dialogs and menus, if not given. */
  part?: string
}

const ROLE = 'Packers'

export interface Walk {
  console: ConsoleBrowser
  page: Page
  client: Client
  words: ConsoleWords
  language: Language
  /** The width of the window. */
  resize: (width: number) => Promise<unknown>
}

/** Every page, dialog and menu of a store, in an order in which each opens from the one before. */
export const storeViews = async ({ console, page, client, words, language, resize }: Walk): Promise<View[]> => {
  const { controls } = words
  const { orders } = await client.orders.list({
    status: 'paid',
    delivery_status: 'unfulfilled',
    is_cancelled: false,
    page_size: 100,
  })
  const order = orders.find(({ variants }) => variants.some(({ quantity }) => quantity > 1))?.id as string
  const { products } = await client.products.list({ search: 'fouta', page_size: 10 })
  const product = products.find(({ variants, images }) => variants.length > 0 && images.length > 0)?.id as string
  const { customers } = await client.customers.list({ search: 'trabelsi', page_size: 1 })
  const { landingPages } = await client.landingPages.list({ page_size: 1 })

  // The plan is given, and the invoice comes with it.
  const { id: plan } = await createPlan(console.db, {
    name: `Pro ${Math.random()}`,
    price: 49,
    currency: 'TND',
    limits: { products: 45, orders: 100_000, storage: 1024 ** 3 },
  })
  const { invoice_id: invoice } = await client.plans.switch({ plan_id: plan })
  const other = await createPlan(console.db, { name: `Basic ${Math.random()}`, price: 0, currency: 'TND' })
  // One person has it, so that its deletion asks what becomes of them.
  const role = await createStaffRole(console.db, COMMAND_LINE, console.store, {
    name: ROLE,
    permissions: ['order:view', 'order:update'],
  })
  const packer = { email: `packer-${language}@shop.example`, name: '' }
  await invite(console.db, COMMAND_LINE, packer, { role: 'staff', store: console.store, role_id: role.id })
  const [app] = await client.apps.list()
  const rows = `slug,title,price\n,,x\n${products[0]?.slug},Fouta,\n`
  const productFile = { name: 'products.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) }

  const dialog = page.locator('dialog')
  const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click()
  const openMenu = (place = 0) =>
    page
      .locator('main')
      .getByRole('button', { name: new RegExp(`^${controls.more}`) })
      .nth(place)
      .click()
  const menu = async (item: string, place = 0) => {
    await openMenu(place)
    await page.getByRole('menuitem', { name: item }).click()
  }
  /** A click on an order that was shown only just now belongs to the order before. */
  const answer = (key: string) =>
    expect
      .poll(async () => {
        if ((await dialog.count()) === 0) await page.locator(`[aria-keyshortcuts="${key}"]`).click()
        return dialog.count()
      })
      .toBe(1)

  return [
    { name: 'general settings', path: '/settings', ready: 'form' },
    { name: 'settings of orders', path: '/settings?section=orders', ready: 'form select' },
    {
      name: 'payment methods to confirm',
      ready: 'fieldset',
      part: 'main',
      open: () => page.locator('form select').first().selectOption('some'),
    },
    { name: 'carriers', path: '/settings?section=carriers', ready: 'main li button' },
    { name: 'carrier', ready: 'dialog', open: () => page.locator('main li button').first().click() },
    { name: 'payment methods', path: '/settings?section=payment', ready: 'main li button' },
    { name: 'payment method', ready: 'dialog', open: () => page.locator('main li button').first().click() },
    { name: 'domains', path: '/settings?section=domains', ready: 'main li strong' },
    { name: 'new domain', ready: 'dialog', open: () => press(words.settings.newDomain) },
    { name: 'policies', path: '/settings?section=policies', ready: 'main li strong' },
    { name: 'policy', ready: 'dialog', open: () => page.locator('main li button').first().click() },
    { name: 'home', path: '', ready: 'figure svg' },
    { name: 'chart as a table', ready: 'figure table', part: 'figure', open: () => press(controls.table) },
    // A few rows are enough, and axe checks every cell.
    { name: 'orders', path: '/orders?search=olfa%20trabelsi', ready: 'tbody a' },
    { name: 'columns', ready: '[role=menu]', open: () => press(controls.columns) },
    { name: 'saving a view', ready: 'dialog', open: () => press(controls.saveView) },
    {
      name: 'deletion of a view',
      ready: '[role=status] button',
      part: '[role=status]',
      open: async () => {
        await press(controls.saveView)
        await dialog.getByLabel(controls.viewName).fill('Olfa')
        await dialog.getByRole('button', { name: controls.save }).click()
        await press(new RegExp(`^${controls.deleteView}`))
      },
    },
    {
      name: 'ship many',
      ready: 'dialog',
      open: async () => {
        for (const place of [0, 1]) await page.locator('tbody input').nth(place).check()
        await page.locator('section[aria-label] button').first().click()
      },
    },
    { name: 'no order', path: '/orders?search=nothing-has-this-name', ready: 'main h2' },
    { name: 'new order', path: '/orders/new', ready: 'form' },
    {
      name: 'finder of customers',
      ready: 'dialog li button',
      open: async () => {
        await page.locator('form header button').first().click()
        await dialog.locator('input').fill('olfa trabelsi')
      },
    },
    { name: 'order', path: `/orders/${order}`, ready: 'ol li' },
    { name: 'actions of an order', ready: '[role=menu]', open: () => openMenu() },
    { name: 'return', ready: 'dialog', open: () => menu(words.orders.return) },
    { name: 'refund', ready: 'dialog', open: () => menu(words.orders.refund) },
    { name: 'cancellation', ready: 'dialog', open: () => menu(words.orders.cancelOrder) },
    { name: 'split', ready: 'dialog', open: () => menu(words.orders.split, 1) },
    { name: 'shipping', ready: 'dialog', open: () => press(words.orders.ship) },
    {
      name: 'toast',
      ready: '[role=status] button',
      part: '[role=status]',
      open: () => menu(words.orders.archive),
    },
    { name: 'packing list', path: `/orders/print?ids=${order}`, ready: 'article' },
    { name: 'invoice', path: `/orders/print?ids=${order}&kind=invoice&paper=a6`, ready: 'article svg' },
    { name: 'products', path: '/products?search=fouta', ready: 'tbody a' },
    {
      name: 'change of many products',
      ready: 'dialog',
      open: async () => {
        await page.locator('tbody input').first().check()
        await press(words.controls.changeMany)
      },
    },
    { name: 'new product', path: '/products/new', ready: 'form' },
    { name: 'product', path: `/products/${product}`, ready: 'form tbody tr' },
    { name: 'variant', ready: 'dialog', open: () => page.locator('form tbody th button').first().click() },
    { name: 'alternative text', ready: 'dialog', open: () => press(words.products.editPicture('1')) },
    {
      name: 'conflict',
      ready: 'dialog table, dialog fieldset',
      open: async () => {
        const title = page.getByLabel(words.products.name, { exact: true })
        await title.fill(`${await title.inputValue()} 1`)
        await client.products.update(product, { title: `Fouta ${Math.random()}`, description: 'Woven by hand.' })
        await press(controls.save)
      },
    },
    { name: 'inventory', path: '/inventory?search=fouta', ready: 'tbody input' },
    {
      name: 'one difference for many variants',
      ready: 'main form',
      part: 'main',
      open: () => page.locator('tbody input[type=checkbox]').first().check(),
    },
    {
      name: 'stock of a variant',
      ready: 'dialog tbody td',
      open: () => page.locator('tbody td:last-child button').first().click(),
    },
    {
      name: 'stock from a spreadsheet',
      ready: 'dialog table',
      open: async () => {
        await page.locator('main header button').click()
        await dialog.locator('textarea').fill('NO-SUCH-SKU\t4')
        await dialog.locator('button[type=submit]').click()
      },
    },
    { name: 'bundles', path: '/bundles', ready: 'tbody a' },
    {
      name: 'change of many bundles',
      ready: 'dialog table',
      open: async () => {
        await page.locator('tbody input').first().check()
        await press(words.controls.changeMany)
      },
    },
    { name: 'new bundle', ready: 'dialog fieldset', open: () => page.locator('main header button').click() },
    { name: 'bundle', ready: 'dialog fieldset', open: () => page.locator('tbody a').first().click() },
    { name: 'deliveries by carrier', path: '/deliveries', ready: 'tbody a' },
    { name: 'deliveries', path: '/deliveries/list?cash=owed', ready: 'tbody a' },
    {
      name: 'cash of a carrier',
      ready: 'dialog input',
      open: async () => {
        await page.locator('tbody input').first().check()
        await page.locator('section[aria-label] button').first().click()
      },
    },
    { name: 'results of a carrier', path: '/deliveries/import', ready: 'main label' },
    { name: 'orders to confirm', path: '/confirm', ready: 'main ul li img' },
    {
      name: 'a customer who did not answer',
      ready: 'dialog fieldset',
      open: () => answer('2'),
    },
    {
      name: 'a customer who refused',
      ready: 'dialog textarea',
      open: () => answer('4'),
    },
    { name: 'abandoned orders', path: '/abandoned', ready: 'tbody a' },
    {
      name: 'contact',
      ready: 'dialog textarea',
      open: async () => {
        await page.locator('tbody input').first().check()
        await page.locator('section[aria-label] button').first().click()
      },
    },
    {
      name: 'conversion of an abandoned order',
      ready: 'dialog p',
      open: async () => {
        await page.locator('tbody input').first().check()
        await page.locator('section[aria-label] button').nth(1).click()
      },
    },
    ...['sales', 'products', 'customers', 'landing-pages', 'delivery', 'levels', 'stock'].map((section) => ({
      name: `analytics: ${section}`,
      path: `/analytics?section=${section}&from=2026-10-01&to=2026-10-28&own=1`,
      ready: 'main figure svg, main table, main h2',
    })),
    { name: 'categories', path: '/categories', ready: 'main li a' },
    { name: 'category', ready: 'dialog', open: () => page.locator('main li button').first().click() },
    { name: 'customers', path: '/customers?search=olfa.trabelsi', ready: 'tbody a' },
    {
      name: 'export of the selected',
      ready: 'dialog select',
      open: async () => {
        await page.locator('tbody input').first().check()
        await page.locator('section[aria-label] button').first().click()
      },
    },
    { name: 'customer', path: `/customers/${customers[0]?.id}`, ready: 'main h2' },
    { name: 'customer form', ready: 'dialog', open: () => press(controls.edit) },
    { name: 'deletion of a customer', ready: 'dialog', open: () => menu(words.customers.delete) },
    {
      name: 'export',
      path: '/products?search=fouta',
      ready: 'dialog select',
      open: () => press(words.controls.export),
    },
    { name: 'import', path: '/import?resource=product', ready: 'main select' },
    {
      name: 'columns of an import',
      ready: 'main table select',
      part: 'main',
      open: () => page.locator('input[type=file]').setInputFiles(productFile),
    },
    {
      name: 'preview of an import',
      ready: 'main table svg',
      part: 'main',
      open: async () => {
        await page.locator('input[type=file]').setInputFiles(productFile)
        await page.locator('main table select').first().waitFor()
        await page.locator('main button').last().click()
      },
    },
    { name: 'reviews', path: '/reviews?status=hidden&rating=4', ready: 'main li[data-current]' },
    {
      name: 'change of many reviews',
      ready: 'dialog table',
      open: async () => {
        await page.locator('main li input').first().check()
        await press(words.controls.changeMany)
      },
    },
    { name: 'landing pages', path: '/landing-pages?cod_type=popup', ready: 'tbody a' },
    {
      name: 'change of many landing pages',
      ready: 'dialog select',
      open: async () => {
        await page.locator('tbody input').first().check()
        await press(words.controls.changeMany)
      },
    },
    { name: 'new landing page', path: '/landing-pages/new', ready: 'form' },
    { name: 'product of a landing page', ready: 'dialog li', open: () => press(words.landingPages.chooseProduct) },
    { name: 'landing page', path: `/landing-pages/${landingPages[0]?.id}`, ready: 'form' },
    { name: 'picture of a landing page', ready: 'dialog li img', open: () => press(words.landingPages.choosePicture) },
    { name: 'files', path: '/files?mime_type=video/*', ready: 'main li button' },
    { name: 'file', ready: 'dialog dl', open: () => page.locator('main li button').first().click() },
    {
      name: 'deletion of a file',
      ready: 'dialog p',
      open: async () => {
        await page.locator('main li button').first().click()
        await press(words.files.delete)
      },
    },
    {
      name: 'deletion of many files',
      ready: 'dialog ul li',
      open: async () => {
        await page.locator('main li input').first().check()
        await press(words.controls.delete)
      },
    },
    { name: 'people', path: '/people', ready: 'main li strong' },
    { name: 'role in words', ready: 'dialog li', open: () => menu(words.people.explain) },
    { name: 'role', ready: 'dialog', open: () => menu(words.people.change) },
    {
      name: 'named role',
      ready: 'dialog fieldset',
      open: () => page.locator('main h2').locator('xpath=ancestor::header').getByRole('button').click(),
    },
    {
      name: 'deletion of a named role',
      ready: 'dialog select',
      open: async () => {
        await page.locator(`main button[aria-label$="${ROLE}"]`).click()
        await page.getByRole('menuitem').last().click()
      },
    },
    { name: 'invitation', ready: 'dialog', open: () => press(words.people.invite) },
    {
      name: 'link of an invitation',
      ready: 'dialog input[readonly]',
      open: async () => {
        await press(words.people.invite)
        await dialog.getByLabel(words.people.email).fill('bilel@shop.example')
        await dialog.getByRole('button', { name: words.people.preset.read }).click()
        await dialog.getByRole('button', { name: words.people.invite }).click()
      },
    },
    { name: 'removal of a person', ready: 'dialog', open: () => menu(words.people.remove) },
    {
      name: 'confirmation of the password',
      ready: 'dialog input[type=password]',
      open: async () => {
        await sql`update session set confirmed_at = now() - interval '16 minutes'`.execute(console.db)
        await menu(words.people.remove)
        await dialog.getByRole('button', { name: words.people.remove }).click()
      },
    },
    { name: 'apps', path: '/apps', ready: 'main li a' },
    { name: 'app', path: `/apps/${app?.client_id}`, ready: 'main a[class]' },
    { name: 'an app without a page', path: `/apps/${app?.client_id}/open`, ready: 'main h1' },
    { name: 'plan and invoices', path: '/plan', ready: 'main meter' },
    {
      name: 'switch of the plan',
      ready: 'dialog',
      open: () => press(`${words.plans.choose} ${other.name}`),
    },
    { name: 'invoice', path: `/invoices/${invoice}`, ready: 'main table' },
    { name: 'nothing', path: '/nowhere', ready: 'main' },
    { name: 'palette', ready: 'dialog [role=option]', open: () => page.keyboard.press('Control+k') },
    { name: 'keyboard help', ready: 'dialog', open: () => page.keyboard.press('?') },
    { name: 'stores', ready: 'dialog li', open: () => press(new RegExp(words.shell.switchStore)) },
    {
      name: 'navigation of a phone',
      ready: 'nav[data-open]',
      part: 'nav',
      open: async () => {
        await resize(390)
        await press(words.shell.openNavigation)
      },
    },
  ]
}
