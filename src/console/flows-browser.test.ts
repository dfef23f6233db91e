import { type RawBuilder, sql } from 'kysely'
import type { Page, Request, Route } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../tests/support/browser.ts'
import { type ConsoleBrowser, PASSWORD, startConsoleBrowser } from '../../tests/support/console.ts'

const installed = hasBrowser('interrupted work is not tested in a browser')

const EXPIRED = { status: 401, json: { code: 'token_expired', message: 'Expired.', errors: {} } }
const NO_ANSWER = 'No answer came from the service'

/** Something that a merchant does, up to the press of a button that writes. `n` is another text, number or order each time. */
interface Flow {
  open: (page: Page) => Promise<unknown>
  type: (page: Page, n: number) => Promise<unknown>
  /** Fails if what was typed is gone. */
  typed: (page: Page, n: number) => Promise<unknown>
  send: (page: Page) => Promise<unknown>
  isWrite: (request: Request) => boolean
  /** When the page says that it is done. */
  done: (page: Page, n: number) => Promise<unknown>
  /** Fails unless it was done, and only once. */
  stored: (n: number) => Promise<unknown>
  /** In both tabs the same thing is open. */
  race: (one: Page, two: Page) => Promise<unknown>
}

describe.skipIf(!installed)('each flow of a merchant, interrupted', () => {
  let console: ConsoleBrowser
  let person: Awaited<ReturnType<ConsoleBrowser['signIn']>>
  let tabs: [Page, Page]
  const wrong: (() => string[])[] = []
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
  const dialog = (page: Page) => page.getByRole('dialog')
  const closed = (page: Page) => expect.poll(() => dialog(page).count()).toBe(0)
  const toast = (page: Page, text: string) =>
    page.locator('[role=status]').getByText(text, { exact: true }).last().waitFor()
  const writes =
    (method: string, path: RegExp) =>
    (request: Request): boolean =>
      request.method() === method && path.test(new URL(request.url()).pathname) && !/dry_run=true/.test(request.url())
  const rowsOf = async <T>(query: RawBuilder<T>) => (await query.execute(console.db)).rows

  /** A form whose field is filled. A newer version of another tab is shown before it is written over. */
  const editor = (given: {
    table: 'bundle' | 'landing_page' | 'product'
    column: 'name' | 'title'
    label: string
    path: (id: string) => string
    ready: (page: Page) => Promise<unknown>
    done: (page: Page) => Promise<unknown>
    /** From the refusal to what was typed being saved over the other version, which is shown. */
    settle: (page: Page, theirs: string) => Promise<unknown>
  }): Flow => {
    const { table, column, label } = given
    const text = (n: number) => `Typed ${n} in ${table}`
    const target = async () => {
      const [row] = await rowsOf(
        sql<{ id: string }>`select id from ${sql.table(table)} where store_id = ${console.store} order by id limit 1`,
      )
      return row?.id as string
    }
    const field = (page: Page) => page.getByLabel(label, { exact: true })
    const flow: Flow = {
      open: async (page) => {
        await page.goto(console.home + given.path(await target()))
        await field(page).waitFor()
        await given.ready(page)
      },
      type: (page, n) => field(page).fill(text(n)),
      typed: async (page, n) => expect(await field(page).inputValue()).toBe(text(n)),
      send: (page) => press(page, 'Save'),
      isWrite: (request) =>
        writes('PUT', /\/apps\/v1\/(bundle|landing-page)\//)(request) ||
        writes('POST', /\/apps\/v1\/product\/.*\/update$/)(request),
      done: given.done,
      stored: async (n) => {
        const id = await target()
        const found = await rowsOf(sql<{ id: string }>`
          select id from ${sql.table(table)} where store_id = ${console.store} and ${sql.ref(column)} = ${text(n)}`)
        expect(found).toEqual([{ id }])
      },
      race: async (one, two) => {
        for (const page of [one, two]) await flow.open(page)
        await flow.type(one, 2)
        await flow.send(one)
        await flow.done(one, 2)
        await flow.type(two, 3)
        await flow.send(two)
        await given.settle(two, text(2))
        await flow.done(two, 3)
        await flow.stored(3)
      },
    }
    return flow
  }

  const newest = async (page: Page, theirs: string) => {
    await page.getByText(`Newest version: ${theirs}`).waitFor()
    await press(page, 'Save')
  }

  /** Of the variant whose stock the flows change. */
  let variant: { id: string; sku: string }
  /** Differences, all unlike those of the other flow. */
  const stock = (more: number, own: Pick<Flow, 'open' | 'type' | 'typed' | 'done'>): Flow => {
    const flow: Flow = {
      open: own.open,
      type: (page, n) => own.type(page, n + more),
      typed: (page, n) => own.typed(page, n + more),
      send: (page) => press(page, 'Change 1 variant'),
      isWrite: writes('POST', /\/apps\/v1\/stock/),
      done: own.done,
      stored: async (n) => {
        const found = await rowsOf(sql<{ delta: number }>`select delta::int as delta from stock_change
          where store_id = ${console.store} and variant_id = ${variant.id} and kind = 'adjustment' and delta = ${n + more}`)
        expect(found).toEqual([{ delta: n + more }])
      },
      // Differences add up: nobody has to decide.
      race: async (one, two) => {
        for (const page of [one, two]) await flow.open(page)
        await flow.type(one, 2)
        await flow.type(two, 3)
        await Promise.all([flow.send(one), flow.send(two)])
        await flow.done(one, 2)
        await flow.done(two, 3)
        for (const n of [2, 3]) await flow.stored(n)
      },
    }
    return flow
  }
  const level = (page: Page) =>
    page.locator('tbody tr', { has: page.getByText(variant.sku, { exact: true }) }).getByRole('textbox')
  const grid = stock(0, {
    open: async (page) => {
      await page.goto(`${console.home}/inventory?search=${encodeURIComponent(variant.sku)}`)
      await level(page).waitFor()
    },
    type: async (page, n) => {
      await level(page).fill(String(n))
      await page.getByLabel('Reason').fill('Counted')
    },
    typed: async (page, n) => {
      expect(await level(page).inputValue()).toBe(String(n))
      expect(await page.getByLabel('Reason').inputValue()).toBe('Counted')
    },
    done: (page) => expect.poll(() => level(page).inputValue()).toBe(''),
  })
  const pasted = (page: Page) => page.getByLabel('SKU and number, one variant a line')
  const paste = stock(100, {
    open: async (page) => {
      await page.goto(`${console.home}/inventory`)
      await page.locator('tbody tr').first().waitFor()
      await press(page, 'Paste a list')
    },
    type: async (page, n) => {
      await pasted(page).fill(`${variant.sku}\t${n}`)
      await press(page, 'Preview')
      await page.getByRole('button', { name: 'Change 1 variant' }).waitFor()
    },
    typed: async (page, n) => expect(await pasted(page).inputValue()).toMatch(new RegExp(`\\t${n}$`)),
    done: closed,
  })

  const PLENTY = 1000
  const abandoned = () =>
    rowsOf(sql<{ id: string }>`select id from orders where store_id = ${console.store} and status = 'abandoned'
      and not is_archived and not is_cancelled order by created_at desc, id desc limit 10`)
  let waiting: Awaited<ReturnType<typeof abandoned>>
  const conversion: Flow = {
    open: async (page) => {
      await page.goto(`${console.home}/abandoned`)
      await page.locator('tbody a').first().waitFor()
    },
    type: async (page, n) => {
      const { id } = waiting[n] as (typeof waiting)[number]
      await sql`update variant set quantity = ${PLENTY} where store_id = ${console.store}
        and id in (select variant_id from order_line where store_id = ${console.store} and order_id = ${id})
        and quantity <> ${PLENTY}`.execute(console.db)
      await page
        .locator('tbody tr', { has: page.locator(`a[href$="${id}"]`) })
        .getByRole('checkbox')
        .check()
      await press(page, 'Make it an order')
      await dialog(page).waitFor()
    },
    typed: async (page) => expect(await page.locator('dialog').count()).toBeGreaterThan(0),
    send: (page) => dialog(page).getByRole('button', { name: 'Make it an order' }).click(),
    isWrite: writes('PUT', /\/apps\/v1\/order\//),
    done: (page) => toast(page, 'Now an order'),
    stored: async (n) => {
      const { id } = waiting[n] as (typeof waiting)[number]
      const lines = await rowsOf(sql<{ status: string; left: number; expected: number }>`
        select o.status, v.quantity as left,
          case when p.stock_tracked then ${PLENTY}::int - sum(l.quantity)::int else ${PLENTY}::int end as expected
        from orders o join order_line l on l.store_id = o.store_id and l.order_id = o.id
        join variant v on v.store_id = l.store_id and v.id = l.variant_id
        join product p on p.store_id = v.store_id and p.id = v.product_id
        where o.store_id = ${console.store} and o.id = ${id} group by o.status, v.id, v.quantity, p.stock_tracked`)
      expect(lines.length).toBeGreaterThan(0)
      expect(lines).toEqual(lines.map(({ expected }) => ({ status: 'pending', left: expected, expected })))
    },
    // The second tab is told that it is done, and nothing is taken twice.
    race: async (one, two) => {
      for (const page of [one, two]) {
        await conversion.open(page)
        await conversion.type(page, 2)
      }
      for (const page of [one, two]) {
        await conversion.send(page)
        await conversion.done(page, 2)
      }
      await conversion.stored(2)
    },
  }

  const ROWS = 40
  const csv = (n: number) =>
    Buffer.from(
      `email,name,city\n${Array.from({ length: ROWS }, (_, k) => `flow-${n}-${k}@shop.example,Flow ${k},Tunis\n`).join('')}`,
    )
  const transfer: Flow = {
    open: (page) => page.goto(`${console.home}/import?resource=customer`),
    type: async (page, n) => {
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: `flow-${n}.csv`, mimeType: 'text/csv', buffer: csv(n) })
      await press(page, 'Check the file')
      await page.getByText(/^40 (new|updated)$/).waitFor()
    },
    typed: (page, n) => page.getByText(`flow-${n}.csv`).waitFor(),
    send: (page) => press(page, `Import ${ROWS} rows`),
    isWrite: writes('POST', /\/apps\/v1\/bulk/),
    done: (page) => page.getByText('Import finished').waitFor(),
    stored: async (n) => {
      const found = await rowsOf(sql<{ people: number }>`select count(*)::int as people from customer
        where store_id = ${console.store} and email like ${`flow-${n}-%`} and city = 'Tunis'`)
      expect(found).toEqual([{ people: ROWS }])
    },
    // Whoever is second changes the same customers, and adds none.
    race: async (one, two) => {
      for (const page of [one, two]) {
        await transfer.open(page)
        await transfer.type(page, 2)
      }
      for (const page of [one, two]) await transfer.send(page)
      for (const page of [one, two]) await transfer.done(page, 2)
      await transfer.stored(2)
    },
  }

  const FLOWS: Record<string, Flow> = {
    'bundle editor': editor({
      table: 'bundle',
      column: 'name',
      label: 'Name',
      path: (id) => `/bundles?edit=${id}`,
      ready: (page) => dialog(page).waitFor(),
      done: closed,
      settle: newest,
    }),
    'landing page editor': editor({
      table: 'landing_page',
      column: 'title',
      label: 'Title',
      path: (id) => `/landing-pages/${id}`,
      ready: (page) => page.locator('form').waitFor(),
      done: (page) => page.getByRole('region', { name: 'You have unsaved changes.' }).waitFor({ state: 'detached' }),
      settle: newest,
    }),
    'product editor': editor({
      table: 'product',
      column: 'title',
      label: 'Title',
      path: (id) => `/products/${id}`,
      ready: (page) => page.locator('form').waitFor(),
      done: (page) => page.getByRole('region', { name: 'You have unsaved changes.' }).waitFor({ state: 'detached' }),
      settle: async (page, theirs) => {
        const conflict = page.getByRole('dialog', { name: 'Changed by somebody else' })
        await conflict.getByText(theirs).waitFor()
        await conflict.locator('button[type=submit]').click()
      },
    }),
    'inventory grid': grid,
    'pasted stock': paste,
    'abandoned order': conversion,
    import: transfer,
  }

  beforeAll(async () => {
    console = await startConsoleBrowser()
    person = await console.signIn()
    const second = await console.newTab(person.context)
    tabs = [person.page, second.page]
    wrong.push(
      () => person.wrong.splice(0),
      () => second.wrong.splice(0),
    )
    waiting = await abandoned()
    const found = await rowsOf(sql<typeof variant>`
      select v.id, v.sku from variant v join product p on p.store_id = v.store_id and p.id = v.product_id
      where v.store_id = ${console.store} and p.stock_tracked and v.sku is not null order by v.sku limit 1`)
    variant = found[0] as typeof variant
  })

  afterEach(() => {
    // The browser tells of each request without an answer, too.
    const faults = wrong.flatMap((taken) => taken())
    expect(faults.filter((text) => !/status of (401|412|503)|ERR_/.test(text))).toEqual([])
  })

  const intercept = async (page: Page, { isWrite }: Flow, act: (route: Route) => Promise<unknown>) => {
    const handle = (route: Route) => (isWrite(route.request()) ? act(route) : route.fallback())
    await page.route('**/apps/v1/**', handle)
    return () => page.unroute('**/apps/v1/**', handle)
  }

  describe.each(Object.keys(FLOWS))('%s', (name) => {
    const flow = FLOWS[name] as Flow
    const [lost, expired, restarted] = [1, 4, 5]

    test('its answer is lost after the service has done it', async () => {
      const [page] = tabs
      await flow.open(page)
      await flow.type(page, lost)
      const stop = await intercept(page, flow, async (route) => {
        await route.fetch()
        await route.abort('connectionreset')
      })
      await flow.send(page)
      await page.getByText(NO_ANSWER).first().waitFor()
      await flow.typed(page, lost)
      await stop()
      await flow.send(page)
      await flow.done(page, lost)
      await flow.stored(lost)
    })

    test('another tab does it at the same time', () => flow.race(...tabs))

    test('the session has ended', async () => {
      const [page] = tabs
      await flow.open(page)
      await flow.type(page, expired)
      await person.context.clearCookies()
      let isFirst = true
      const stop = await intercept(page, flow, (route) => {
        if (!isFirst) return route.fallback()
        isFirst = false
        return route.fulfill(EXPIRED)
      })
      await flow.send(page)
      const password = dialog(page).getByLabel('Password')
      await password.fill(PASSWORD)
      await flow.typed(page, expired)
      await password.press('Enter')
      await flow.done(page, expired)
      await stop()
      await flow.stored(expired)
    })

    test('the service is restarted in the middle', async () => {
      const [page] = tabs
      await flow.open(page)
      await flow.type(page, restarted)
      await console.restart(async () => {
        await flow.send(page)
        await page.getByText(NO_ANSWER).first().waitFor()
      })
      await flow.typed(page, restarted)
      await flow.send(page)
      await flow.done(page, restarted)
      await flow.stored(restarted)
    })
  })

  test('sheets are printed although the service is restarted and the session ends meanwhile', async () => {
    const [page] = tabs
    const orders = await rowsOf(sql<{ id: string }>`select o.id from orders o where o.store_id = ${console.store}
      and not o.is_cancelled and o.status = 'paid' order by o.created_at desc limit 3`)
    const ids = orders.map(({ id }) => id).join()
    const sheets = page.locator('article')
    await page.goto(`${console.home}/orders/print?kind=invoice&ids=${ids}`)
    await expect.poll(() => sheets.count()).toBe(3)
    // What is on the page can be printed while the service is away.
    await console.restart(async () => {
      await page.getByLabel('Paper').selectOption('a6')
      expect(await sheets.count()).toBe(3)
    })
    const read = new RegExp(`/apps/v1/order/(${ids.replaceAll(',', '|')})`)
    await page.route(read, (route) => route.abort('connectionreset'))
    await page.reload()
    const again = page.locator('main').getByRole('button', { name: 'Try again' })
    await again.waitFor()
    expect(await sheets.count()).toBe(0)
    await page.unroute(read)
    await again.click()
    await expect.poll(() => sheets.count()).toBe(3)
    expect(await page.getByLabel('Paper').inputValue()).toBe('a6')

    // On the way from the orders to their sheets.
    await page.goto(`${console.home}/orders`)
    await page.locator('tbody a').first().waitFor()
    await person.context.clearCookies()
    await page.route(read, (route) => route.fulfill(EXPIRED), { times: orders.length })
    await page.evaluate(
      `history.pushState(null, '', ${JSON.stringify(`${console.home}/orders/print?kind=invoice&ids=${ids}`)})`,
    )
    await dialog(page).getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await expect.poll(() => sheets.count()).toBe(3)
  })
})
