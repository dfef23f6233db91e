import { expect, test } from 'vitest'
import { startTestApi } from '../../tests/support/api.ts'
import { isDocumented } from '../core/openapi/document.ts'
import { operationIdOf } from '../core/openapi/operation.ts'

test('llms.txt links to a page of every guide and operation, and llms-full.txt has them all', async () => {
  const { site, app, origin } = await startTestApi()
  const index = await site.get('/llms.txt')
  expect(index.headers.get('content-type')).toContain('text/markdown')
  const links = [...index.text.matchAll(/\]\((\S+?)\)/g)].map(([, link = '']) => link)
  const operations = app.routeTable.filter(isDocumented).map(operationIdOf)
  for (const id of operations) expect(links).toContain(`${origin}/docs/operations/${id}.md`)
  expect(links.filter((link) => link.includes('/guides/')).length).toBeGreaterThan(15)
  const { text: full } = await site.get('/llms-full.txt')
  for (const link of links) {
    const page = await site.get(new URL(link).pathname)
    expect(page.status, link).toBe(200)
    expect(page.text.startsWith('# '), link).toBe(true)
    expect(full, link).toContain(page.text.trim())
  }
})

test('every link of every page leads to a page of this service, or to another site', async () => {
  const { site, origin } = await startTestApi()
  const start = ['/llms.txt', '/llms-full.txt']
  const seen = new Set(start)
  for (const path of seen) {
    const page = await site.get(path)
    expect(page.status, path).toBe(200)
    // Examples of requests and replies have links of their own.
    const text = path.endsWith('.md') || start.includes(path) ? page.text.replace(/```.*?```/gs, '') : ''
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      expect(link, path).toMatch(/^https?:/)
      if (link.startsWith(origin)) seen.add(new URL(link).pathname)
    }
    for (const [, link = ''] of text.matchAll(/(?<=\s)(http:\/\/127\.0\.0\.1:\d+\/[\w./-]+\.(?:txt|json))/g))
      seen.add(new URL(link).pathname)
  }
  expect(seen.size).toBeGreaterThan(100)
  expect(seen).toContain('/openapi.json')
})

test('a link within the documentation page becomes a link to the page of its guide', async () => {
  const { site, origin } = await startTestApi()
  const webhooks = await site.get('/docs/guides/webhooks.md')
  expect(webhooks.text).toContain(`[Events](${origin}/docs/guides/events.md)`)
  const apps = await site.get('/docs/guides/apps.md')
  expect(apps.text).toContain(`[Assistants](${origin}/docs/guides/assistants.md)`)
})

test('a page is sent again only if it has changed', async () => {
  const { site } = await startTestApi()
  for (const path of ['/llms.txt', '/llms-full.txt', '/docs/guides/events.md', '/docs/operations/getOrder.md']) {
    const { headers } = await site.get(path)
    expect(headers.get('content-type'), path).toBe('text/markdown; charset=utf-8')
    const again = await site.get(path, { 'if-none-match': headers.get('etag') as string })
    expect([again.status, again.text], path).toEqual([304, ''])
  }
})

test('a page says what an operation takes, with its permission and an example', async () => {
  const { site } = await startTestApi()
  const { text } = await site.get('/docs/operations/createReview.md')
  expect(text).toContain('POST http')
  expect(text).toContain('review:create')
  expect(text).toContain('| `rating` (required) |')
  expect(text).toContain('```json')
})

test('there is no page of anything else', async () => {
  const { site } = await startTestApi()
  for (const path of [
    '/docs/guides/paging',
    '/docs/guides/nothing.md',
    '/docs/../package.json.md',
    '/docs/guides/..%2f..%2fpackage.md',
  ])
    expect((await site.get(path)).status, path).toBe(404)
})
