import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
// @ts-expect-error A script without types of its own.
import { clientTypes } from '../../scripts/client-types.mjs'

test('the types are those of the document', async () => {
  const document = JSON.parse(await readFile('openapi.json', 'utf8'))
  // Stale? npm run client-types
  expect(await readFile('client/src/types.ts', 'utf8')).toBe(clientTypes(document))
})
