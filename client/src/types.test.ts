import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
// @ts-expect-error A script without types of its own.
import { clientFiles } from '../../scripts/client-types.mjs'

const readDocument = async () => JSON.parse(await readFile('openapi.json', 'utf8'))

test('the generated types and calls match the OpenAPI document', async () => {
  // Stale? npm run client-types
  for (const [file, text] of Object.entries(clientFiles(await readDocument())))
    expect(await readFile(file, 'utf8')).toBe(text)
})

test('a resource added to the document gets its calls', async () => {
  const document = await readDocument()
  const copy = (text: string) => text.replaceAll('Category', 'Discount').replaceAll('Categories', 'Discounts')
  const asDiscount = (path: string) =>
    JSON.parse(copy(JSON.stringify(document.paths[path])).replaceAll('categories', 'discounts'))
  document.paths['/discount'] = asDiscount('/category')
  document.paths['/discount/{id}'] = JSON.parse(
    JSON.stringify(document.paths['/customer/{id}'])
      .replaceAll('Customer', 'Discount')
      .replaceAll('customer', 'discount'),
  )
  const calls = clientFiles(document)['client/src/resources.ts']
  const [, group = ''] = /\n {4}discounts: \{\n(.*?)\n {4}\}/s.exec(calls) ?? []
  expect([...group.matchAll(/^ {6}(\w+):/gm)].map(([, name]) => name)).toEqual([
    'list',
    'all',
    'create',
    'get',
    'update',
    'delete',
  ])
  expect(group).toContain("request('PUT', '/discount/{id}', { path: { id }, body, ...options })")
})
