import { earliest } from '../../core/input/date-bounds.ts'
import { invalid, ValidationErrors } from '../../errors.ts'
import { type Interval, instantOf, intervalStarts, labelOf, MAX_INTERVALS, QUARTER, wallAt } from './local-time.ts'

const DAY = 86_400_000
/** How many days are shown if none are given. */
const USUAL_DAYS = 30
/** Before 1970 the offsets of time zones are not always whole quarters of an hour. */
const FIRST = Date.UTC(1970, 0, 1)

export interface Period {
  from: number
  /** Exclusive. */
  to: number
  interval: Interval
  time_zone: string
  /** The start of each interval. */
  starts: number[]
}

export interface PeriodQuery {
  from?: string
  to?: string
  interval: Interval
}

const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text)

/** A date is a day of the store; anything else is an instant. */
const readBound = (zone: string, text: string, dayAfter: 0 | 1) => {
  const at = (earliest(text) as Date).getTime()
  if (isDay(text)) return instantOf(zone, at + dayAfter * DAY)
  return (dayAfter ? Math.ceil(at / QUARTER) : Math.floor(at / QUARTER)) * QUARTER
}

/** Reads `from`, `to` and `interval`: by default the last 30 days of the store. */
export const readPeriod = (time_zone: string, { from, to, interval }: PeriodQuery, now = Date.now()): Period => {
  const dayOf = (at: number) => Math.floor(wallAt(time_zone, at) / DAY) * DAY
  const errors = new ValidationErrors()
  for (const [name, text] of Object.entries({ from, to }))
    if (text !== undefined && (earliest(text) as Date).getTime() < FIRST) errors.add(name, 'must be in 1970 or later')
  errors.throwIfAny()
  const end = to === undefined ? instantOf(time_zone, dayOf(now) + DAY) : readBound(time_zone, to, 1)
  const start =
    from === undefined ? instantOf(time_zone, dayOf(end - 1) - (USUAL_DAYS - 1) * DAY) : readBound(time_zone, from, 0)
  if (start >= end) throw invalid({ to: ['must be after from'] })
  const starts = intervalStarts(time_zone, interval, start, end)
  if (!starts)
    throw invalid({ interval: [`must be longer, or the period shorter: there may be ${MAX_INTERVALS} intervals`] })
  return { from: start, to: end, interval, time_zone, starts }
}

export const iso = (at: number) => new Date(at).toISOString()

export const periodJson = ({ from, to, interval, time_zone }: Period) => ({
  from: iso(from),
  to: iso(to),
  interval,
  time_zone,
})

export const startsJson = ({ starts, to, interval, time_zone }: Period) =>
  starts.map((start, index) => ({
    start: iso(start),
    end: iso(starts[index + 1] ?? to),
    label: labelOf(time_zone, interval, start),
  }))

/** How long a sum is. All begin at whole multiples in UTC, see span_start() in schema/analytics.sql. */
export type Span = '1Y' | '3M' | '1M' | '1d' | '6h' | '1h' | '15m'

export interface Stretch {
  span: Span
  from: number
  to: number
  /** -1 if the sums are taken away: a day from 23:00 to 23:00 is a whole day, and an hour, without an hour. */
  sign: 1 | -1
}

const HOURS = { '6h': 6 * 4 * QUARTER, '1h': 4 * QUARTER, '15m': QUARTER }

const startOf = (span: Span, at: number, place: 0 | 1) => {
  const date = new Date(at)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  if (span === '1Y') return Date.UTC(year + place, 0, 1)
  if (span === '3M') return Date.UTC(year, month - (month % 3) + 3 * place, 1)
  if (span === '1M') return Date.UTC(year, month + place, 1)
  if (span === '1d') return Date.UTC(year, month, day + place)
  return (Math.floor(at / HOURS[span]) + place) * HOURS[span]
}

export const endOf = (span: Span, start: number) => startOf(span, start, 1)

/** Where a sum may begin or end instead: outside if at most a third of it is too much, otherwise inside. */
const roundBounds = (span: Span, from: number, to: number) => {
  const [before, first] = [startOf(span, from, 0), startOf(span, from, 1)]
  const [last, after] = [startOf(span, to, 0), startOf(span, to, 1)]
  return [
    from - before <= (first - before) / 3 ? before : first,
    after - to <= (after - last) / 3 ? after : last,
  ] as const
}

/**
 * Few sums that make up a time: the longest ones in the middle, and shorter ones for what is missing or too much. The spans
 * are given from the longest to the shortest.
 */
export const stretches = (from: number, to: number, spans: readonly Span[]): Stretch[] => {
  if (from === to) return []
  if (from > to) return stretches(to, from, spans).map((stretch) => ({ ...stretch, sign: stretch.sign === 1 ? -1 : 1 }))
  const [span, ...finer] = spans as [Span, ...Span[]]
  const [first, last] = roundBounds(span, from, to)
  if (first >= last) return stretches(from, to, finer)
  return [...stretches(from, first, finer), { span, from: first, to: last, sign: 1 }, ...stretches(last, to, finer)]
}
