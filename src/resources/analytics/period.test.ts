import fc from 'fast-check'
import { expect, test } from 'vitest'
import { randomRuns } from '../../../tests/support/random-runs.ts'
import { QUARTER } from './local-time.ts'
import { type Span, stretches } from './period.ts'

const SPANS: Span[] = ['1Y', '3M', '1M', '1d', '6h', '1h', '15m']
const FIRST = Date.UTC(2023, 11, 1) / QUARTER
const LAST = Date.UTC(2026, 1, 1) / QUARTER

const moment = fc.integer({ min: FIRST, max: LAST })

test('the sums of any time count each quarter of an hour in it once, and no other', () => {
  fc.assert(
    fc.property(moment, moment, fc.subarray(SPANS.slice(0, -1)), (a, b, longer) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)]
      // Changes of the number of times that a quarter of an hour is counted.
      const changes = new Map<number, number>()
      const change = (at: number, by: number) => changes.set(at, (changes.get(at) ?? 0) + by)
      for (const { from: start, to: end, sign } of stretches(from * QUARTER, to * QUARTER, [...longer, '15m'])) {
        change(start / QUARTER, sign)
        change(end / QUARTER, -sign)
      }
      const times = [...changes].filter(([, by]) => by !== 0).sort(([a], [b]) => a - b)
      expect(times).toEqual(
        from === to
          ? []
          : [
              [from, 1],
              [to, -1],
            ],
      )
    }),
    { numRuns: randomRuns(200) },
  )
})

const shown = (from: string, to: string) =>
  stretches(Date.parse(from), Date.parse(to), SPANS).map(
    ({ span, from, to, sign }) =>
      `${sign === 1 ? '+' : '-'}${span} ${[from, to].map((at) => new Date(at).toISOString().slice(0, 13)).join(' ')}`,
  )

test('a year of a time zone is a year of UTC, with an hour more at one end and less at the other', () => {
  expect(shown('2024-12-31T23:00:00Z', '2025-12-31T23:00:00Z')).toEqual([
    '+1h 2024-12-31T23 2025-01-01T00',
    '+1Y 2025-01-01T00 2026-01-01T00',
    '-1h 2025-12-31T23 2026-01-01T00',
  ])
})

test('a sum is taken away from a longer one only if it is much shorter', () => {
  expect(shown('2025-04-01T00:00:00Z', '2026-01-01T00:00:00Z')).toEqual([
    '-3M 2025-01-01T00 2025-04-01T00',
    '+1Y 2025-01-01T00 2026-01-01T00',
  ])
  expect(shown('2025-07-01T00:00:00Z', '2026-01-01T00:00:00Z')).toEqual(['+3M 2025-07-01T00 2026-01-01T00'])
})
