import { expect, test } from 'vitest'
import { type Interval, intervalStarts, labelOf } from './local-time.ts'

const at = (text: string) => Date.parse(text)

const starts = (zone: string, interval: Interval, from: string, to: string) =>
  intervalStarts(zone, interval, at(from), at(to))?.map((start) => new Date(start).toISOString().slice(5, 16))

test('the days of a zone begin at its midnight, also when the clock is changed', () => {
  const paris = ['Europe/Paris', 'day', '2026-03-27T23:00:00Z', '2026-03-30T22:00:00Z'] as const
  expect(starts(...paris)).toEqual(['03-27T23:00', '03-28T23:00', '03-29T22:00'])
  expect(starts('Asia/Kathmandu', 'day', '2026-03-28T18:15:00Z', '2026-03-30T18:15:00Z')).toEqual([
    '03-28T18:15',
    '03-29T18:15',
  ])
})

test('a day whose midnight the clock shows twice begins at the first, and one whose midnight it skips at the jump', () => {
  expect(starts('America/Havana', 'day', '2026-10-31T04:00:00Z', '2026-11-03T05:00:00Z')).toEqual([
    '10-31T04:00',
    '11-01T04:00',
    '11-02T05:00',
  ])
  expect(starts('America/Havana', 'day', '2026-03-07T05:00:00Z', '2026-03-10T04:00:00Z')).toEqual([
    '03-07T05:00',
    '03-08T05:00',
    '03-09T04:00',
  ])
})

test('a zone that crosses the date line has no interval for the day it skips', () => {
  const from = '2011-12-29T10:00:00Z'
  const days = intervalStarts('Pacific/Apia', 'day', at(from), at('2012-01-01T10:00:00Z')) ?? []
  expect(days.map((start) => labelOf('Pacific/Apia', 'day', start))).toEqual(['2011-12-29', '2011-12-31', '2012-01-01'])
})

test('an hour that comes twice is two intervals, and a change of half an hour cuts one', () => {
  expect(starts('Europe/Paris', 'hour', '2026-10-24T23:00:00Z', '2026-10-25T03:00:00Z')).toEqual([
    '10-24T23:00',
    '10-25T00:00',
    '10-25T01:00',
    '10-25T02:00',
  ])
  expect(starts('Australia/Lord_Howe', 'hour', '2026-04-04T13:00:00Z', '2026-04-04T17:30:00Z')).toEqual([
    '04-04T13:00',
    '04-04T14:00',
    '04-04T15:00',
    '04-04T15:30',
    '04-04T16:30',
  ])
})

test('weeks begin on Monday, months on the first, and both are cut at the ends of the period', () => {
  expect(starts('UTC', 'week', '2026-11-05T00:00:00Z', '2026-11-17T06:00:00Z')).toEqual([
    '11-05T00:00',
    '11-09T00:00',
    '11-16T00:00',
  ])
  expect(starts('Africa/Tunis', 'month', '2026-01-14T23:00:00Z', '2026-03-09T23:00:00Z')).toEqual([
    '01-14T23:00',
    '01-31T23:00',
    '02-28T23:00',
  ])
})

test('too many intervals are not even counted', () => {
  expect(starts('UTC', 'hour', '1970-01-01T00:00:00Z', '9999-01-01T00:00:00Z')).toBeUndefined()
  expect(starts('UTC', 'day', '2020-01-01T00:00:00Z', '2022-09-28T00:00:00Z')).toBeUndefined()
  expect(starts('UTC', 'day', '2020-01-01T00:00:00Z', '2022-09-27T00:00:00Z')).toHaveLength(1000)
})

test('an hour that a period cuts keeps the name of the hour', () => {
  const [first = 0] = intervalStarts('Asia/Kathmandu', 'hour', Date.UTC(2026, 2, 28, 20), Date.UTC(2026, 2, 29)) ?? []
  expect(labelOf('Asia/Kathmandu', 'hour', first)).toBe('2026-03-29T01:00')
})
