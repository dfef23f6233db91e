import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { isUuid, lowerCaseUuids } from './uuid.ts'

test('an id is told from what only looks like one', () => {
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

test('ids in an address are the same in either case, and nothing else of it is changed', () => {
  const id = randomUUID()
  expect(lowerCaseUuids(`/Order/${id.toUpperCase()}?Search=ABC`)).toBe(`/Order/${id}?Search=ABC`)
})
