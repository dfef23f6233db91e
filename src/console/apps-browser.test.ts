import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { addRegisteredApp, authorizationRequest, newProof, startAppSite } from '../../tests/support/apps.ts'
import { hasBrowser } from '../../tests/support/browser.ts'
import { addCleanup } from '../../tests/support/cleanup.ts'
import {
  accessibilityFaults,
  type ConsoleBrowser,
  PASSWORD,
  startConsoleBrowser,
  tooWide,
} from '../../tests/support/console.ts'
import { replaceManifest } from '../resources/apps/refresh-app.ts'
import { createStore } from '../resources/stores/create-store.ts'

const installed = hasBrowser('the apps of the console are not tested in a browser')

/** A page of an app. It uses the bridge by hand, as any page could. */
const EMBEDDED = `<!doctype html><title>Counter</title><p id="told">waiting</p><script>
  const host = new URL(document.referrer).origin
  const say = (type, more) => parent.postMessage({ type: 'storefront:' + type, ...more }, host)
  addEventListener('message', ({ origin, data }) => {
    document.querySelector('#told').textContent = origin === host ? data.token.split('.').length + ' parts' : 'foreign'
  })
  say('ready'); say('size', { height: 1234 }); say('session-token')
  window.say = say
</script>`

type App = Awaited<ReturnType<typeof addRegisteredApp>>

describe.skipIf(!installed)('apps in the console', () => {
  let console: ConsoleBrowser
  let page: Page
  let wrong: string[]
  let site: Awaited<ReturnType<typeof startAppSite>>
  const api = () => ({ db: console.db, services: console.server.services })
  const installationOf = (app: App) =>
    console.db
      .selectFrom('installation')
      .select(['id', 'permissions'])
      .where('app_id', '=', app.id)
      .where('store_id', '=', console.store)
      .executeTakeFirst()
  const heading = (name: string) => page.getByRole('heading', { level: 1, name })
  const press = (name: string | RegExp) => page.getByRole('button', { name }).click()
  const install = async (app: App) => {
    await page.goto(`${console.home}/apps/${app.client_id}`)
    await page.getByRole('link', { name: 'Install' }).click()
    await press('Install')
    await page.getByRole('button', { name: 'Uninstall' }).waitFor()
  }

  beforeAll(async () => {
    console = await startConsoleBrowser()
    ;({ page, wrong } = await console.signIn())
    site = await startAppSite()
    site.documents.set('/embed', (reply: ServerResponse) => {
      reply.writeHead(200, { 'content-type': 'text/html' })
      reply.end(EMBEDDED)
    })
  })

  test('an app is installed from its page in three clicks, with what was switched on, and shown as installed', async () => {
    const app = await addRegisteredApp(api(), { name: 'Shelf counter' })
    await page.addInitScript(`addEventListener('click', ({ isTrusted }) =>
      isTrusted && sessionStorage.setItem('clicks', Number(sessionStorage.getItem('clicks') ?? 0) + 1), true)`)
    await page.goto(`${console.home}/apps`)
    await page.getByRole('link', { name: 'Shelf counter', exact: true }).click()
    await heading('Shelf counter').waitFor()
    await page.evaluate("sessionStorage.removeItem('clicks')")
    await page.getByRole('link', { name: 'Install' }).click()
    await heading('Shelf counter asks for access').waitFor()
    const optional = page.getByRole('switch', { name: 'Orders See' })
    expect(await optional.isChecked()).toBe(false)
    await optional.check()
    await press('Install')
    await page.getByRole('button', { name: 'Uninstall' }).waitFor()
    expect(await page.evaluate("sessionStorage.getItem('clicks')")).toBe('3')
    expect((await installationOf(app))?.permissions.sort()).toEqual(['order:view', 'product:view'])

    // What was granted can be narrowed on the same page.
    await page.getByRole('link', { name: 'Change permissions' }).click()
    await page.getByRole('switch', { name: 'Orders See' }).uncheck()
    await press('Save permissions')
    await page.getByRole('button', { name: 'Uninstall' }).waitFor()
    expect((await installationOf(app))?.permissions).toEqual(['product:view'])
    expect(wrong).toEqual([])
  })

  test('consent is accessible on a phone in three languages, light and dark, with switches and a choice of stores', async () => {
    const app = await addRegisteredApp(api(), {
      name: 'Polyglot counter',
      permissions: { required: ['product:view', 'order:update'], optional: ['customer:delete', 'plan:switch'] },
      languages: { fr: { name: 'Compteur polyglotte' }, ar: { name: 'عداد متعدد اللغات' } },
    })
    const other = await createStore(console.db, { name: 'Second shop' })
    const grants = [console.store, other.id].map((store) => ({ role: 'owner' as const, store }))
    const person = await console.signIn({ grants }, { width: 390, height: 844 })
    for (const [language, name] of [
      ['en', 'Polyglot counter'],
      ['fr', 'Compteur polyglotte'],
      ['ar', 'عداد متعدد اللغات'],
    ] as const)
      for (const theme of ['light', 'dark'] as const) {
        await person.console.put('/me', { language, theme })
        await person.page.goto(`${console.site}/console/authorize?client_id=${app.client_id}`)
        await person.page.locator(`html[lang=${language}][data-theme=${theme}]`).waitFor({ state: 'attached' })
        await person.page.getByRole('heading', { level: 1, name }).waitFor()
        expect(await person.page.locator('select option').count()).toBe(2)
        const switches = person.page.getByRole('switch')
        expect(await switches.count()).toBe(2)
        await switches.last().check()
        const faults = [...(await accessibilityFaults(person.page)), ...(await tooWide(person.page))]
        expect(faults, `${language}, ${theme}`).toEqual([])
      }
    expect(person.wrong).toEqual([])
    await person.context.close()
  })

  test('an app that wants more says so, and gets it when a person accepts', async () => {
    const app = await addRegisteredApp(api(), { name: 'Greedy counter' })
    await install(app)
    const { manifest } = (await console.db
      .selectFrom('app_manifest')
      .select('manifest')
      .where('app_id', '=', app.id)
      .executeTakeFirstOrThrow()) as { manifest: Parameters<typeof replaceManifest>[2] }
    const more = { ...manifest, permissions: { required: ['product:view', 'order:view'], optional: [] } }
    await console.db.transaction().execute((db) => replaceManifest(db, app.id, more as typeof manifest, undefined))
    await page.goto(`${console.home}/apps`)
    await page.getByRole('listitem').filter({ hasText: 'Greedy counter' }).getByText('Wants more').waitFor()
    await page.goto(`${console.home}/apps/${app.client_id}`)
    await page.getByRole('link', { name: 'Look at it' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Orders' }).getByText('New').first().waitFor()
    await press('Accept')
    await page.getByRole('button', { name: 'Uninstall' }).waitFor()
    expect((await installationOf(app))?.permissions.sort()).toEqual(['order:view', 'product:view'])
  })

  test('an app that changes while a person reads is shown again, and nothing is granted', async () => {
    const app = await addRegisteredApp(api(), { name: 'Sly counter' })
    await page.goto(`${console.site}/console/authorize?client_id=${app.client_id}&store=${console.store}`)
    await heading('Sly counter asks for access').waitFor()
    const { manifest } = (await console.db
      .selectFrom('app_manifest')
      .select('manifest')
      .where('app_id', '=', app.id)
      .executeTakeFirstOrThrow()) as { manifest: Parameters<typeof replaceManifest>[2] }
    const more = { ...manifest, permissions: { required: ['product:view', 'customer:delete'], optional: [] } }
    await console.db.transaction().execute((db) => replaceManifest(db, app.id, more as typeof manifest, undefined))
    await press('Install')
    await page.getByText('The app has changed what it asks for').waitFor()
    await page.getByText('deletes').first().waitFor()
    expect(await installationOf(app)).toBeUndefined()
    wrong.splice(0)
  })

  test('from the site of an app, the answer goes back to it with a code, or with a refusal', async () => {
    const app = await addRegisteredApp(api(), { name: 'Site counter', redirect_uris: [`${site.origin}/callback`] })
    site.documents.set('/callback', { ok: true })
    const address = (state: string) => {
      const more = { redirect_uri: `${site.origin}/callback`, state }
      return `${console.site}/oauth/authorize?${new URLSearchParams(authorizationRequest(app.client_id, newProof().challenge, more))}`
    }
    await page.goto(address('first'))
    await heading('Site counter asks for access').waitFor()
    await page.getByText(`Then you go on at 127.0.0.1:${site.port}.`).waitFor()
    await press('Not now')
    await page.waitForURL(({ pathname }) => pathname === '/callback')
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
    expect(await installationOf(app)).toBeUndefined()

    await page.goto(address('second'))
    await press('Install')
    await page.waitForURL(({ pathname }) => pathname === '/callback')
    const answer = new URL(page.url()).searchParams
    expect([answer.get('state'), answer.get('iss'), (answer.get('code') ?? '').length > 20]).toEqual([
      'second',
      console.site,
      true,
    ])
    expect(await installationOf(app)).toBeDefined()

    await page.goto(address('third').replace('S256', 'plain'))
    await page.waitForURL(({ pathname }) => pathname === '/callback')
    expect(new URL(page.url()).searchParams.get('error')).toBe('invalid_request')
    await page.goto(`${console.site}/oauth/authorize?client_id=nobody`)
    await heading('This link is wrong').waitFor()
    wrong.splice(0)
  })

  test('whoever signed in long ago confirms the password and goes on', async () => {
    const app = await addRegisteredApp(api(), { name: 'Careful counter' })
    const past = new Date(Date.now() - 16 * 60_000)
    await console.db.updateTable('session').set({ confirmed_at: past }).execute()
    await page.goto(`${console.home}/apps/${app.client_id}`)
    await page.getByRole('link', { name: 'Install' }).click()
    await press('Install')
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await press('Continue')
    await page.getByRole('button', { name: 'Uninstall' }).waitFor()
    expect(await installationOf(app)).toBeDefined()
    wrong.splice(0)
  })

  test('an embedded app is shown in a sandbox, gets a session token, and its other messages are heard', async () => {
    const app = await addRegisteredApp(api(), { name: 'Framed counter', embed_url: `${site.origin}/embed` })
    await install(app)
    await page.getByRole('link', { name: 'Open: Framed counter' }).click()
    const frame = page.frameLocator('iframe')
    await frame.getByText('3 parts').waitFor()
    const element = page.locator('iframe')
    expect(await element.getAttribute('sandbox')).not.toMatch(/top-navigation|popups-to-escape|modals/)
    await expect.poll(() => page.evaluate("document.querySelector('iframe').clientHeight")).toBe(1234)
    const embedded = page.frames().find((frame) => frame.url().startsWith(site.origin))
    await embedded?.evaluate("say('toast', { text: 'Counted' })")
    await page.locator('[role=status]').getByText('Framed counter: Counted').waitFor()
    // Neither the page nor its cookies are reachable from inside.
    expect(
      await embedded?.evaluate('(() => { try { return String(parent.document) } catch (e) { return e.name } })()'),
    ).toBe('SecurityError')
    expect(await embedded?.evaluate('document.cookie')).toBe('')
    for (const path of ['https://evil.example/', '//evil.example/', '/../me', 'javascript:alert(1)'])
      await embedded?.evaluate(`say('navigate', { path: ${JSON.stringify(path)} })`)
    const before = page.url()
    await embedded?.evaluate("(() => { try { top.location = 'https://evil.example/' } catch {} })()").catch(() => {})
    expect(page.url()).toBe(before)
    await embedded?.evaluate("say('navigate', { path: '/orders' })")
    await page.waitForURL(/\/orders$/)
    wrong.splice(0)
  })

  test('messages of other windows and origins are not heard', async () => {
    const app = await addRegisteredApp(api(), { name: 'Quiet counter', embed_url: `${site.origin}/embed` })
    await install(app)
    await page.goto(`${console.home}/apps/${app.client_id}/open`)
    await page.frameLocator('iframe').getByText('3 parts').waitFor()
    await page.evaluate(`(() => {
      // The page itself, and the frame's window with a wrong origin.
      postMessage({ type: 'storefront:toast', text: 'forged' }, '*')
      const source = document.querySelector('iframe').contentWindow
      const data = { type: 'storefront:toast', text: 'forged' }
      dispatchEvent(new MessageEvent('message', { source, origin: 'https://evil.example', data }))
      dispatchEvent(new MessageEvent('message', { source: window, origin: new URL(document.querySelector('iframe').src).origin, data }))
    })()`)
    await page.waitForTimeout(300)
    expect(await page.getByText('forged').count()).toBe(0)
  })

  test('only the page that opens an app may frame it, and no page an app with our own address', async () => {
    const app = await addRegisteredApp(api(), { name: 'Policy counter', embed_url: `${site.origin}/embed` })
    const policyAt = async (path: string) => (await fetch(console.home + path)).headers.get('content-security-policy')
    expect(await policyAt(`/apps/${app.client_id}/open`)).toContain(`frame-src ${site.origin};`)
    for (const path of ['/apps', `/apps/${app.client_id}`, '/orders', '/apps/nobody/open'])
      expect(await policyAt(path), path).toContain("frame-src 'none'; form-action 'none'")
    const own = await addRegisteredApp(api(), { name: 'Own counter', embed_url: `${console.site}/embed` })
    expect(await policyAt(`/apps/${own.client_id}/open`)).toContain("frame-src 'none'")
    await install(own)
    await page.goto(`${console.home}/apps/${own.client_id}/open`)
    await page.getByText('This app cannot be shown here').waitFor()
    expect(await page.locator('iframe').count()).toBe(0)
  })

  test('an app without an embedded page opens in a tab of its own, with the token posted and not in the address', async () => {
    let posted = ''
    const server = createServer(async (request, reply) => {
      posted = `${request.method} ${request.url} ${await text(request)}`
      reply.end('Opened')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    addCleanup(() => server.close())
    const start = `http://127.0.0.1:${(server.address() as AddressInfo).port}/start`
    const app = await addRegisteredApp(api(), { name: 'Tab counter', url: start })
    await install(app)
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Open: Tab counter' }).click(),
    ])
    await tab.waitForURL(start)
    expect(posted).toMatch(/^POST \/start session_token=[\w-]+\.[\w-]+\.[\w-]+$/)
    await tab.close()
  })

  test('uninstalling asks first and says what happens', async () => {
    const app = await addRegisteredApp(api(), { name: 'Leaving counter' })
    await install(app)
    await press('Uninstall')
    await page.getByRole('dialog').getByText('Its access ends at once').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Uninstall' }).click()
    await page.getByRole('status').getByText('Uninstalled').waitFor()
    await page.waitForURL(/\/apps$/)
    expect(await installationOf(app)).toBeUndefined()
  })

  test('staff who may not install see why', async () => {
    const app = await addRegisteredApp(api(), { name: 'Forbidden counter' })
    const grants = [{ role: 'staff' as const, store: console.store, permissions: ['app:boot'] }]
    const { page } = await console.signIn({ grants })
    await page.goto(`${console.home}/apps`)
    await page.getByRole('link', { name: 'Forbidden counter', exact: true }).waitFor()
    expect(await page.getByRole('link', { name: /Install/ }).count()).toBe(0)
    await page.goto(`${console.site}/console/authorize?client_id=${app.client_id}&store=${console.store}`)
    await page.getByText('You may not install apps on this store').waitFor()
    expect(await page.getByRole('button', { name: 'Install' }).isDisabled()).toBe(true)
    await page.context().close()
  })

  test('the example apps of the demo work when they are clicked', async () => {
    await page.goto(`${console.home}/apps`)
    await page.getByRole('link', { name: 'Install: Stock counter' }).click()
    await page.getByRole('switch', { name: 'Products Change' }).check()
    await press('Install')
    await page.getByRole('link', { name: 'Open: Stock counter' }).click()
    const frame = page.frameLocator('iframe')
    const count = frame.getByRole('spinbutton').first()
    await count.waitFor()
    const sku = await count.getAttribute('name')
    const stockOf = () =>
      console.db
        .selectFrom('variant')
        .select('quantity')
        .where('store_id', '=', console.store)
        .where('sku', '=', sku)
        .executeTakeFirst()
    await count.fill('77')
    await frame.getByRole('button', { name: 'Save' }).click()
    await page.locator('[role=status]').getByText('Stock counter: Saved').waitFor()
    expect((await stockOf())?.quantity).toBe(77)
    // A token that another window, or a page of another site, posts to the app is not taken for one.
    const embedded = page.frames().find((frame) => frame.url().includes('stock-counter'))
    const token = await embedded?.evaluate<string>(`import(new URL('./embed.js', location)).then(({ connectEmbed }) => {
      const host = new URL(document.referrer).origin
      const asked = connectEmbed(host).sessionToken()
      const data = { type: 'storefront:session-token', token: 'forged' }
      dispatchEvent(new MessageEvent('message', { source: window, origin: host, data }))
      dispatchEvent(new MessageEvent('message', { source: parent, origin: 'https://evil.example', data }))
      return asked
    })`)
    expect(token?.split('.')).toHaveLength(3)

    // From its own page, and in a tab of its own.
    const port = new URL(console.site).port
    await page.goto(`http://order-board.localhost:${port}/`)
    await page.getByRole('link', { name: 'Install' }).click()
    await press('Install')
    await page.getByRole('heading', { name: 'Orders to confirm' }).waitFor()
    await page.goto(`${console.home}/apps`)
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Open: Order board' }).click(),
    ])
    await tab.getByRole('heading', { name: 'Orders to confirm' }).waitFor()
    expect(await tab.locator('tbody tr, p').count()).toBeGreaterThan(0)
    await tab.close()
  })
})
