import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ADVISORY_LOCKS } from './advisory-locks.ts'

const SRC = fileURLToPath(new URL('../..', import.meta.url))

test('every advisory lock has a unique number, defined in one place', () => {
  const numbers = Object.values(ADVISORY_LOCKS)
  expect(new Set(numbers).size).toBe(numbers.length)
  const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|advisory-locks\.ts$/.test(name))
    .map((name) => [name, readFileSync(path.join(SRC, name), 'utf8')] as const)
  // The engine locks in a database of its own.
  const literal = sources.filter(([, code]) => /advisory\w*\(\s*\d|7_?3\d\d_?\d{3}/.test(code)).map(([name]) => name)
  expect(literal.filter((name) => !name.includes('embedded'))).toEqual([])
})
