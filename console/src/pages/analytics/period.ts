import { daysBefore, formatDay, formatDays } from '../home/days.ts'

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const
export type Interval = (typeof INTERVALS)[number]

const DAY_MS = 86_400_000
const DAY = /^\d{4}-\d{2}-\d{2}$/
const USUAL_DAYS = 30
/** More points than a chart can show. */
const MAX_POINTS = 400
const HOURS: Record<Interval, number> = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24 }

export interface Period {
  from: string
  to: string
  days: number
  interval: Interval
  /** As many days before. */
  earlier: { from: string; to: string }
  /** A period that begins after its end. */
  isValid: boolean
}

const isDay = (text: string | null): text is string =>
  text !== null && DAY.test(text) && !Number.isNaN(Date.parse(text))

/** Intervals that fit a chart, the usual one first. */
export const intervalsFor = (days: number): Interval[] => {
  const usual = days <= 2 ? 'hour' : days <= 92 ? 'day' : days <= 400 ? 'week' : 'month'
  const fitting = INTERVALS.filter((interval) => (days * 24) / HOURS[interval] <= MAX_POINTS)
  return [usual, ...fitting.filter((interval) => interval !== usual)]
}

/** The period in the address: days of the store, the last 30 by default. */
export const readPeriod = (params: URLSearchParams, today: string): Period => {
  const [given, until] = [params.get('from'), params.get('to')]
  const to = isDay(until) ? until : today
  const from = isDay(given) ? given : daysBefore(to, USUAL_DAYS - 1)
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1
  const asked = params.get('interval') as Interval
  const fitting = intervalsFor(days)
  return {
    from,
    to,
    days,
    interval: fitting.includes(asked) ? asked : (fitting[0] as Interval),
    earlier: { from: daysBefore(from, days), to: daysBefore(from, 1) },
    isValid: days >= 1,
  }
}

/** `2026-11-16T14:00`, `2026-11-16` or `2026-11` in the language of the page. */
export const formatLabels = (locale: string, labels: readonly string[]) => {
  if (labels[0]?.length === 'YYYY-MM'.length)
    return labels.map((month) => formatDay(locale, `${month}-01`, { month: 'short', year: 'numeric' }))
  const days = formatDays(
    locale,
    labels.map((label) => label.slice(0, 'YYYY-MM-DD'.length)),
  )
  return labels.map((label, place) => [days[place], label.split('T')[1]].filter(Boolean).join(' '))
}
