import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { isUuid, lowerCaseUuids } from './uuid.ts'

test('isUuid accepts UUIDs only', () => {
  const id = randomUUID()
  expect(isUuid(id)).toBe(true)
  expect(isUuid(id.toUpperCase())).toBe(true)
  for (const text of [
    '',
    '-'.repeat(36),
    id.replaceAll('-', ''),
    ` ${id}`,
    `${id}\n`,
    `{${id}}`,
    id.replace(/^./, 'g'),
  ])
    expect(isUuid(text), JSON.stringify(text)).toBe(false)
})

test('ids in a URL are converted to lower case, and nothing else changes', () => {
  const id = randomUUID()
  expect(lowerCaseUuids(`/Order/${id.toUpperCase()}?Search=ABC`)).toBe(`/Order/${id}?Search=ABC`)
})
