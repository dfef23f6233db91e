import { expect, test } from 'vitest'
import { formatLabels } from '../../console/src/pages/analytics/period.ts'

const spaces = (labels: readonly string[]) => labels.map((label) => label.replace(/\s/g, ' '))

test('days of one year are short', () => {
  expect(spaces(formatLabels('en', ['2026-10-31', '2026-11-01']))).toEqual(['Oct 31', 'Nov 1'])
  expect(spaces(formatLabels('fr', ['2025-01-01', '2025-12-31']))).toEqual(['1 janv.', '31 déc.'])
})

test.each([
  ['en', ['Dec 31, 2025', 'Jan 1, 2026']],
  ['fr', ['31 déc. 2025', '1 janv. 2026']],
  ['ar-TN', ['31 ديسمبر 2025', '1 جانفي 2026']],
])('days across the end of a year name it: %s', (locale, expected) => {
  expect(spaces(formatLabels(locale, ['2025-12-31', '2026-01-01']))).toEqual(expected)
})

test('so do the hours of a new year, and weeks that begin in the year before', () => {
  expect(spaces(formatLabels('en', ['2025-12-31T23:00', '2026-01-01T00:00']))).toEqual([
    'Dec 31, 2025 23:00',
    'Jan 1, 2026 00:00',
  ])
  expect(spaces(formatLabels('fr', ['2025-12-29', '2026-01-05']))).toEqual(['29 déc. 2025', '5 janv. 2026'])
})

test('hours of one year name the day, and months always name their year', () => {
  expect(spaces(formatLabels('en', ['2026-11-16T14:00', '2026-11-16T15:00']))).toEqual(['Nov 16 14:00', 'Nov 16 15:00'])
  expect(spaces(formatLabels('en', ['2026-01', '2026-02']))).toEqual(['Jan 2026', 'Feb 2026'])
  expect(formatLabels('en', [])).toEqual([])
})
