import { BlockList } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { authorizationRequest, newProof, REDIRECT, sendForm, startAppSite } from '../../tests/support/apps.ts'
import { createCaller } from '../../tests/support/caller.ts'
import { accessibilityFaults, type ConsoleBrowser, startConsoleBrowser, tooWide } from '../../tests/support/console.ts'

let console: ConsoleBrowser
// Documents of apps are on this machine.
const local = new BlockList()
local.addSubnet('127.0.0.0', 8, 'ipv4')

beforeAll(async () => {
  console = await startConsoleBrowser({ WEBHOOK_PRIVATE: local })
})

test('a person lets an assistant look, sees it, and cuts it off; an owner sees it too', async () => {
  const site = await startAppSite()
  const client_id = `${site.origin}/client.json`
  site.documents.set('/client.json', { client_id, client_name: 'Pocket desk', redirect_uris: [REDIRECT] })
  const grants = [{ role: 'owner' as const, store: console.store }]
  const { page, context, wrong, console: api } = await console.signIn({ grants }, { width: 390, height: 844 })
  const faults = async () => [...(await accessibilityFaults(page)), ...(await tooWide(page))]
  const button = (name: string) => page.getByRole('button', { name })

  await page.goto(`${console.site}/console/me`)
  await page.getByRole('link', { name: 'Assistants: connect or cut off' }).click()
  await page.getByText('No assistant is connected').waitFor()
  const address = await page.getByLabel(/^Address of/).inputValue()
  expect(address).toBe(`${console.site}/api/apps/v1/mcp?store=${console.store}`)
  expect(await faults()).toEqual([])

  const { verifier, challenge } = newProof()
  const request = authorizationRequest(client_id, challenge, { resource: address })
  let answer = ''
  await page.route(`${REDIRECT}*`, (route) => {
    answer = route.request().url()
    return route.fulfill({ body: 'Back' })
  })
  await page.goto(`${console.site}/console/authorize?${new URLSearchParams(request)}`)
  await page.getByRole('heading', { level: 1, name: 'Pocket desk asks for access' }).waitFor()
  expect(await button('Connect').isDisabled()).toBe(true)
  await button('Everything').click()
  await button('Look only').click()
  expect(await page.getByRole('switch', { name: 'Orders See' }).isChecked()).toBe(true)
  expect(await page.getByRole('switch', { name: 'Orders Change' }).isChecked()).toBe(false)
  expect(await faults()).toEqual([])
  await button('Connect').click()
  await page.getByText('Back').waitFor()

  const code = new URL(answer).searchParams.get('code') as string
  const form = { grant_type: 'authorization_code', client_id, redirect_uri: REDIRECT, code, code_verifier: verifier }
  const caller = createCaller(console.server.app, console.site, '', {})
  const { body, text } = await sendForm({ site: caller }, '/oauth/token', form)
  expect(body.scope, text).toContain('order:view')
  expect(body.scope).not.toMatch(/create|update|delete/)

  const call = () => caller.get('/api/apps/v1/order', { authorization: `Bearer ${body.access_token}` })
  expect((await call()).status).toBe(200)
  for (const [language, theme] of [
    ['ar', 'dark'],
    ['fr', 'dark'],
    ['en', 'light'],
  ] as const) {
    await api.put('/me', { language, theme })
    await page.goto(`${console.site}/console/me/assistants`)
    await page.locator(`html[lang=${language}][data-theme=${theme}]`).waitFor({ state: 'attached' })
    await page.getByText('Pocket desk').waitFor()
    await page.locator('summary').click()
    expect(await faults(), language).toEqual([])
  }
  await page.goto(`${console.home}/apps`)
  await page.getByRole('heading', { name: 'Assistants of people' }).waitFor()
  await page.getByRole('button', { name: 'Cut off: Pocket desk' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Cut off Pocket desk?').waitFor()
  expect(await faults()).toEqual([])
  await dialog.getByRole('button', { name: 'Cut off' }).click()
  await page.getByRole('heading', { name: 'Assistants of people' }).waitFor({ state: 'detached' })
  await expect.poll(async () => (await call()).status).toBe(401)
  expect(wrong.filter((text) => !text.startsWith(REDIRECT))).toEqual([])
  await context.close()
})
