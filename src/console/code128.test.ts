import { expect, test } from 'vitest'
import { barsOf, code128 } from '../../console/src/pages/orders/code128.ts'

test('a reference becomes symbols of code set B with a check symbol', () => {
  const symbols = code128('PJJ123C') as number[]
  expect(symbols).toEqual([104, 48, 42, 42, 17, 18, 19, 35, 55, 106])
  expect(code128('')).toBeUndefined()
  expect(code128('طلب')).toBeUndefined()
})

test('every symbol is eleven modules wide, has three bars and is unlike the others', () => {
  const all = Array.from({ length: 95 }, (_, n) => String.fromCharCode(n + 32))
  const drawn = all.map((character) => barsOf(character))
  // Start, the character, its check symbol, and the stop of thirteen modules.
  for (const code of drawn) expect(code).toMatchObject({ width: 46, bars: { length: 13 } })
  expect(new Set(drawn.map((code) => JSON.stringify(code))).size).toBe(95)
})
