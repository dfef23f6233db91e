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
