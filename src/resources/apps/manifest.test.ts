import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addRegisteredApp, iconData, LOCAL_APPS, manifestOf, startAppSite } from '../../../tests/support/apps.ts'
import { bomb } from '../../../tests/support/hostile-pictures.ts'
import { allWhileLocked } from '../../../tests/support/waiting.ts'
import { createApp } from '../auth/create-app.ts'
import { createInstallation } from '../auth/create-installation.ts'
import { requireInstallation } from '../auth/queries.ts'
import { createEgress } from '../webhooks/egress.ts'
import { type Manifest, parseManifest } from './manifest.ts'
import { describeRegistered, findIcon } from './queries.ts'
import { refreshApp, refreshOldManifests } from './refresh-app.ts'
import { registerApp } from './register-app.ts'

let api: TestApi
let site: Awaited<ReturnType<typeof startAppSite>>
beforeAll(async () => {
  api = await startTestApi(LOCAL_APPS)
  site = await startAppSite()
})

const egress = () => api.services.webhooks.egress

const registerAt = (path: string) => registerApp(api.db, egress(), { url: site.origin + path }, 'unlisted')

/** The fields that a manifest is refused for. */
const faults = async (registration: Promise<unknown>): Promise<Record<string, string[]>> => {
  const error = await registration.then(
    () => undefined,
    (error) => error,
  )
  return error?.fields ?? {}
}

const faultsOf = async (changes: Record<string, unknown>) =>
  Object.keys(await faults(registerApp(api.db, egress(), { content: await manifestOf(changes) }, 'listed')))

test('an app is registered from the address of its manifest, with an icon drawn by us', async () => {
  const picture = await sharp({ create: { width: 600, height: 300, channels: 3, background: '#08f' } })
    .withExif({ IFD0: { Copyright: 'whoever' } })
    .jpeg()
    .toBuffer()
  site.documents.set('/icon.jpg', picture)
  site.documents.set('/manifest.json', await manifestOf({ name: 'Shelf', icon: `${site.origin}/icon.jpg` }))
  const app = await registerAt('/manifest.json')
  expect(app).toMatchObject({ name: 'Shelf', client_secret: expect.stringMatching(/^sk_/) })
  expect(await describeRegistered(api.db, app.client_id)).toMatchObject({ state: 'unlisted', fault: null })
  const icon = (await findIcon(api.db, app.id)) as Buffer
  expect(await sharp(icon).metadata()).toMatchObject({ format: 'webp', width: 128, height: 128 })
  expect(icon.includes('whoever')).toBe(false)
})

test('a manifest is refused with the name of each field that is wrong', async () => {
  expect(await faultsOf({ url: 'http://counter.example/' })).toEqual(['url'])
  expect(await faultsOf({ embed_url: 'https://user:pass@counter.example/' })).toEqual(['embed_url'])
  expect(await faultsOf({ lifecycle_url: 'ftp://counter.example/' })).toEqual(['lifecycle_url'])
  expect(await faultsOf({ redirect_uris: ['https://a.example/cb', 'https://a.example/cb#x'] })).toEqual([
    'redirect_uris.1',
  ])
  expect(await faultsOf({ permissions: { required: ['product:view', 'everything'] } })).toEqual([
    'permissions.required.1',
  ])
  expect(await faultsOf({ name: 'Co\u202Eunter' })).toEqual(['name'])
  expect(await faultsOf({ name: '' })).toEqual(['name'])
  expect(await faultsOf({ developer: undefined, support_url: 7 })).toEqual(['developer', 'support_url'])
  expect(await faultsOf({ redirect_uris: ['http://localhost:8080/cb', 'http://127.0.0.1/cb'] })).toEqual([])
})

test('a name that imitates another app is refused, one without a manifest included', async () => {
  await addRegisteredApp(api, { name: 'Étoile Rapide' })
  await createApp(api.db, 'Old Ledger')
  for (const name of ['etoile rapide', 'ÉTOILE-RAPIDE', 'old  ledger', 'Console'])
    expect(await faultsOf({ name }), name).toEqual(['name'])
  const both = await Promise.allSettled([
    addRegisteredApp(api, { name: 'Twin' }),
    addRegisteredApp(api, { name: 'twin' }),
  ])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('an app cannot take the name of another one in a translation, nor a name that another one is translated to', async () => {
  await addRegisteredApp(api, { name: 'Tide Table', languages: { fr: { name: 'Table des marées' } } })
  expect(await faultsOf({ languages: { fr: { name: 'TIDE-TABLE' } } })).toEqual(['languages.fr.name'])
  expect(await faultsOf({ languages: { ar: { name: 'table des marees' } } })).toEqual(['languages.ar.name'])
  expect(await faultsOf({ name: 'Table des marées' })).toEqual(['name'])
  // Neither is written before both have been asked for.
  const register = (changes: Partial<Manifest>) => () =>
    addRegisteredApp(api, changes).then(
      () => 'registered',
      ({ fields }) => Object.keys(fields).join(),
    )
  const both = await allWhileLocked(api.db, sql`lock table app_manifest in share mode`, [
    register({ name: 'Heron', languages: { fr: { name: 'Aigrette' } } }),
    register({ name: 'Egret', languages: { fr: { name: 'aigrette' } } }),
  ])
  expect(both.sort()).toEqual(['languages.fr.name', 'registered'])

  // Nor later, when its manifest is read again.
  const before = await manifestOf({ name: 'Slow Clock' })
  site.documents.set('/clock.json', before)
  const app = await registerAt('/clock.json')
  site.documents.set('/clock.json', { ...before, languages: { fr: { name: 'Tide table' } } })
  expect(await faults(refreshApp(api.db, egress(), app.client_id))).toHaveProperty('languages.fr.name')
  const { manifest } = await api.db
    .selectFrom('app_manifest')
    .select('manifest')
    .where('app_id', '=', app.id)
    .executeTakeFirstOrThrow()
  expect(manifest).not.toHaveProperty('languages')
})

test('a manifest that is huge, slow, elsewhere or not JSON is refused', async () => {
  site.documents.set('/huge', { name: 'x'.repeat(70_000) })
  site.documents.set('/text', Buffer.from('{"name": '))
  site.documents.set('/packed', (reply: ServerResponse) =>
    reply.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10_000_000, ' '))),
  )
  const other = await startAppSite()
  other.documents.set('/manifest.json', await manifestOf())
  site.documents.set('/away', (reply: ServerResponse) =>
    reply.writeHead(302, { location: `${other.origin}/manifest.json` }).end(),
  )
  site.documents.set('/loop', (reply: ServerResponse) => reply.writeHead(302, { location: '/loop' }).end())
  site.documents.set('/near', (reply: ServerResponse) => reply.writeHead(302, { location: '/moved.json' }).end())
  site.documents.set('/moved.json', await manifestOf({ name: 'Moved' }))
  for (const path of ['/huge', '/packed', '/text', '/away', '/loop', '/missing'])
    expect(Object.keys(await faults(registerAt(path))), path).toEqual(['manifest'])
  expect(other.requests).toEqual([])
  expect(await registerAt('/near')).toMatchObject({ name: 'Moved' })

  // Not a byte more is read than may be.
  let endless: Promise<unknown> | undefined
  site.documents.set('/endless', (reply: ServerResponse) => {
    endless = once(reply, 'close')
    const more = () => {
      while (reply.write(Buffer.alloc(64 * 1024, ' ')));
    }
    reply.writeHead(200).on('drain', more)
    more()
  })
  const limits = { maxBytes: 64 * 1024, timeoutMs: 60_000 }
  expect(await egress().get(`${site.origin}/endless`, limits)).toEqual({ fault: 'size' })
  await endless
  // A manifest that is given as a file has the same limit.
  const large = async () => parseManifest(`{"name":"${'x'.repeat(64 * 1024)}"}`)
  expect(Object.keys(await faults(large()))).toEqual(['manifest'])

  let closed: Promise<unknown> | undefined
  site.documents.set('/slow', (reply: ServerResponse) => {
    closed = once(reply, 'close')
    reply.writeHead(200).write('{')
  })
  const slow = await egress().get(`${site.origin}/slow`, { maxBytes: 100, timeoutMs: 50 })
  expect(slow).toEqual({ fault: 'timeout' })
  await closed
})

test('nothing is requested from a private address, whatever its name resolves to', async () => {
  const { length } = site.requests
  const guarded = createEgress({ opened: undefined })
  const rebound = createEgress({ opened: undefined, resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
  const limits = { maxBytes: 100, timeoutMs: 1_000 }
  expect(await guarded.get(`${site.origin}/manifest.json`, limits)).toEqual({ fault: 'address' })
  expect(await rebound.get(`https://app.example:${site.port}/`, limits)).toEqual({ fault: 'address' })
  expect(site.requests).toHaveLength(length)
})

test('icons that are bombs, drawings in SVG or no pictures are refused', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="9" height="9"/></svg>'
  site.documents.set('/bomb.png', bomb())
  site.documents.set('/a.svg', Buffer.from(svg))
  site.documents.set(
    '/wide.gif',
    await sharp({ create: { width: 5_000, height: 8, channels: 3, background: '#08f' } })
      .gif()
      .toBuffer(),
  )
  const padding = Buffer.alloc(1024 * 1024)
  site.documents.set(
    '/large.png',
    Buffer.concat([
      await sharp({ create: { width: 9, height: 9, channels: 3, background: '#08f' } })
        .png()
        .toBuffer(),
      padding,
    ]),
  )
  for (const icon of ['/bomb.png', '/wide.gif', '/a.svg', '/large.png', '/none.png'])
    expect(await faultsOf({ icon: site.origin + icon }), icon).toEqual(['icon'])
  for (const icon of ['data:text/html;base64,PGI+', 'data:image/png;base64,AAAA', 'javascript:alert(1)'])
    expect(await faultsOf({ icon }), icon).toEqual(['icon'])
})

test('a manifest that is read again narrows installations at once, and never widens them', async () => {
  const before = await manifestOf({ name: 'Narrow', permissions: { required: ['product:view', 'order:view'] } })
  site.documents.set('/narrow.json', before)
  const app = await registerAt('/narrow.json')
  const granted = ['product:view', 'order:view', 'file:browse']
  const { install_id } = await createInstallation(api.db, app.client_id, api.store.id, granted)
  site.documents.set('/narrow.json', {
    ...before,
    name: 'Narrower',
    permissions: { required: ['product:view', 'customer:view'] },
  })
  await refreshApp(api.db, egress(), app.client_id)
  // What the operator granted beyond the manifest stays.
  expect((await requireInstallation(api.db, install_id)).permissions).toEqual(['file:browse', 'product:view'])
  expect(await describeRegistered(api.db, app.client_id)).toMatchObject({ name: 'Narrower' })
})

test('manifests are read again every day; one that fails keeps the old one and says why', async () => {
  site.documents.set('/daily.json', await manifestOf({ name: 'Daily' }))
  const app = await registerAt('/daily.json')
  const drawn = await findIcon(api.db, app.id)
  site.documents.set('/daily.json', await manifestOf({ name: 'Daily News', icon: await iconData(32, 32) }))
  await refreshOldManifests(api.db, egress(), api.services.log)
  expect(await describeRegistered(api.db, app.client_id)).toMatchObject({ name: 'Daily' })
  const age = () =>
    api.db
      .updateTable('app_manifest')
      .set({ checked_at: new Date(Date.now() - 25 * 3_600_000) })
      .where('app_id', '=', app.id)
      .execute()
  await age()
  await refreshOldManifests(api.db, egress(), api.services.log)
  expect(await describeRegistered(api.db, app.client_id)).toMatchObject({ name: 'Daily News' })
  expect(await findIcon(api.db, app.id)).not.toEqual(drawn)
  site.documents.set('/daily.json', { name: 'Nothing else' })
  await age()
  await refreshOldManifests(api.db, egress(), api.services.log)
  expect(await describeRegistered(api.db, app.client_id)).toMatchObject({
    name: 'Daily News',
    fault: expect.stringContaining('developer is required'),
  })
})
