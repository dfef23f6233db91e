import { invalid, ValidationErrors } from '../errors.ts'
import { earliest } from '../input/date-bounds.ts'
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
  starts.map((start, place) => ({
    start: iso(start),
    end: iso(starts[place + 1] ?? to),
    label: labelOf(time_zone, interval, start),
  }))

export interface Stretch {
  span: '15m' | '1d' | '1M'
  from: number
  to: number
}

const nextUtc = (unit: '1d' | '1M', at: number, place: 0 | 1) => {
  const date = new Date(at)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  return unit === '1d' ? Date.UTC(year, month, day + place) : Date.UTC(year, month + place, 1)
}

const floor = (unit: '1d' | '1M', at: number) => nextUtc(unit, at, 0)
const ceil = (unit: '1d' | '1M', at: number) => (floor(unit, at) === at ? at : nextUtc(unit, at, 1))

/** Whole months where there are some, whole days at their sides, and quarters of an hour at the ends. */
export const stretches = (from: number, to: number, spans: ('1M' | '1d')[] = ['1M', '1d']): Stretch[] => {
  const [span, ...finer] = spans
  if (!span) return from < to ? [{ span: '15m', from, to }] : []
  const [first, last] = [ceil(span, from), floor(span, to)]
  if (first >= last) return stretches(from, to, finer)
  return [...stretches(from, first, finer), { span, from: first, to: last }, ...stretches(last, to, finer)]
}
