import { sql } from 'kysely'
import { createApp } from '../../src/resources/auth/create-app.ts'
import { createInstallation } from '../../src/resources/auth/create-installation.ts'
import type { ConsoleBrowser } from './console.ts'
import type { View, Walk } from './console-views.ts'

const REQUEST = 'walk-request'
/** Nothing answers here. */
const RECEIVER = 'https://receiver.invalid/events'

/** An app that was installed on the demo store, with a call in each section. */
export const addAppWithCalls = async ({ db, site, store, server }: ConsoleBrowser) => {
  const { client_id, client_secret } = await createApp(db, 'Delivery sync')
  const { install_id } = await createInstallation(db, client_id, store, ['order:view', 'product:create', 'review:view'])
  const api = `${site}/api/apps/v1`
  const send = async (path: string, body?: object, more: Record<string, string> = {}) =>
    fetch(`${api}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { ...(body && { 'content-type': 'application/json' }), ...more },
      ...(body && { body: JSON.stringify(body) }),
    })
  const reply = await send('/auth/get-token', { client_id, client_secret, install_id })
  const { data } = (await reply.json()) as { data: { token: string } }
  const authorization = `Bearer ${data.token}`
  await send('/order?page_size=1', undefined, { authorization })
  await send('/product', { price: -1 }, { authorization, 'x-request-id': REQUEST })
  for (let time = 0; time < 2; time++)
    await send('/product', { title: 'Olive oil' }, { authorization, 'idempotency-key': 'import-1' })
  await send('/customer', undefined, { authorization })
  const hook = await send('/webhook', { url: RECEIVER, types: ['order.*'] }, { authorization })
  const { webhook } = ((await hook.json()) as { data: { webhook: { id: string } } }).data
  await addDeliveries(db, store, webhook.id)
  await server.services.calls.flush()
  const app = await db.selectFrom('app').select('id').where('client_id', '=', client_id).executeTakeFirstOrThrow()
  return { id: app.id, client_id, request: REQUEST, webhook: webhook.id }
}

/** As a receiver leaves them that was down for a while: one event of the feed was delivered, and one has failed. */
const addDeliveries = async (db: ConsoleBrowser['db'], store: string, webhook: string) => {
  await sql`insert into webhook_delivery (store_id, webhook_id, position, kind, action, resource_id, state, attempts,
      first_at, done_at, status, error, ms)
    select ${store}, ${webhook}, e.position, e.kind, e.action, e.resource_id, case when o.is_last then 'failed' else 'delivered' end, 3,
      now(), now(), case when o.is_last then 503 else 204 end, case when o.is_last then 'status' end, 38
    from (select position, row_number() over (order by position desc) = 1 as is_last from event
      where store_id = ${store} and kind = 'order' order by position desc limit 2) o
    join event e on e.store_id = ${store} and e.position = o.position`.execute(db)
}

/** Every page and dialog outside a store, in an order in which each opens from the one before. */
export const serviceViews = async ({ console, page, words }: Walk): Promise<View[]> => {
  const { id, request, webhook } = await addAppWithCalls(console)
  const at = (section: string) => ({ isService: true, path: `/apps/${id}/${section}` })
  const { controls, webhooks, operator, serviceApps, servicePlans, developer } = words
  const isService = true
  const send = () => page.locator('main form [type=submit]').click()
  const press = (name: string | RegExp) => page.locator('main').getByRole('button', { name }).first().click()
  const openMenu = () => press(new RegExp(`^${controls.more}`))
  const menu = async (item: string | RegExp) => {
    await openMenu()
    await page.getByRole('menuitem', { name: item }).first().click()
  }
  return [
    { name: 'all stores', path: '/stores', isService, ready: 'main li a' },
    { name: 'actions of a store', ready: '[role=menu]', open: openMenu },
    { name: 'new store', ready: 'dialog', open: () => press(operator.newStore) },
    { name: 'change of a store', ready: 'dialog', open: () => menu(operator.edit) },
    { name: 'suspension of a store', ready: 'dialog', open: () => menu(operator.suspend) },
    { name: 'removal of a store', ready: 'dialog ul', open: () => menu(operator.remove) },
    { name: 'no such store', path: '/stores?search=nothing-has-this-name', isService, ready: 'main h2' },
    { name: 'accounts', path: '/people', isService, ready: 'main li a' },
    { name: 'actions of an account', ready: '[role=menu]', open: openMenu },
    { name: 'role of an account', ready: 'dialog', open: () => menu(operator.addRole) },
    { name: 'sign-out everywhere', ready: 'dialog', open: () => menu(operator.signOut) },
    { name: 'disabling', ready: 'dialog', open: () => menu(operator.disable) },
    { name: 'removal of a role', ready: 'dialog', open: () => menu(new RegExp(`^${operator.removeRole}`)) },
    { name: 'link for a password', ready: 'dialog input[readonly]', open: () => menu(operator.passwordLink) },
    { name: 'invitation to anything', ready: 'dialog', open: () => press(operator.invite) },
    { name: 'apps of the service', path: '/apps', isService, ready: 'main li strong' },
    { name: 'actions of an app', ready: '[role=menu]', open: openMenu },
    { name: 'registration of an app', ready: 'dialog', open: () => press(serviceApps.register) },
    { name: 'new secret of an app', ready: 'dialog', open: () => menu(serviceApps.rotate) },
    { name: 'switching an app off', ready: 'dialog', open: () => menu(serviceApps.disable) },
    { name: 'plans of the service', path: '/plans', isService, ready: 'main li h3' },
    { name: 'new plan', ready: 'dialog', open: () => press(servicePlans.create) },
    { name: 'change of a plan', ready: 'dialog', open: () => press(new RegExp(`^${servicePlans.edit}`)) },
    { name: 'invoices of the service', path: '/invoices', isService, ready: 'main li a' },
    { name: 'payment of an invoice', ready: 'dialog', open: () => press(new RegExp(`^${servicePlans.markPaid}`)) },
    { name: 'voiding an invoice', ready: 'dialog', open: () => press(new RegExp(`^${servicePlans.void}`)) },
    { name: 'audit log', path: '/activity', isService, ready: 'main li strong' },
    { name: 'system', path: '/system', isService, ready: 'main dl' },
    { name: 'apps of a developer', isService: true, path: '/developer', ready: 'tbody a' },
    { name: 'log of calls', ...at('log'), ready: 'tbody a' },
    { name: 'call', ...at(`log/${request}`), ready: 'main pre' },
    { name: 'errors', ...at('errors'), ready: 'tbody a' },
    { name: 'retries', ...at('retries'), ready: 'tbody a' },
    { name: 'webhooks', ...at('webhooks'), ready: 'tbody a' },
    { name: 'webhook', ...at(`webhooks/${webhook}`), ready: 'tbody tr' },
    { name: 'actions of a webhook', ready: '[role=menu]', open: openMenu },
    { name: 'failed events again', ready: 'dialog', open: () => menu(webhooks.replayFailed) },
    { name: 'new secret of a webhook', ready: 'dialog', open: () => menu(webhooks.rotate) },
    { name: 'skipping events', ready: 'dialog', open: () => menu(webhooks.skip) },
    { name: 'used permissions', ...at('permissions'), ready: 'tbody a' },
    {
      name: 'revocation of unused permissions',
      ready: 'dialog',
      open: () => page.getByRole('button', { name: developer.revokeUnused(1) }).click(),
    },
    // After that, the app may have used every permission to view: it has read the feed.
    { name: 'events', ...at('events?hours=720&live=0'), ready: 'tbody a' },
    { name: 'event', ready: 'main pre', part: 'main', open: () => page.locator('tbody a').first().click() },
    { name: 'operations', ...at('playground'), ready: 'main section a' },
    { name: 'operation that cannot be tried', ...at('playground?call=POST+/auth/get-token'), ready: 'main textarea' },
    { name: 'question before it is done', ready: 'dialog', open: send },
    { name: 'operation', ...at('playground?call=POST+/product'), ready: 'main textarea' },
    {
      name: 'refused call',
      ready: 'main textarea + [role=alert]',
      part: 'main',
      open: async () => {
        await page.locator('main textarea').fill('{"price": -1}')
        await send()
      },
    },
  ]
}
