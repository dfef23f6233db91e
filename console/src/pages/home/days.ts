import { dateFormat } from '../../messages/formats.ts'

const DAY_MS = 86_400_000

/** Today by the calendar of the store, as `2026-11-16`. */
export const todayIn = (zone: string) => dateFormat('en-CA', { timeZone: zone }).format(new Date())

export const daysBefore = (day: string, count: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) - count * DAY_MS).toISOString().slice(0, 10)

/** So long ago, to the hour: the same question for an hour, and a number that fits the list behind it. */
export const hoursAgo = (hours: number) => {
  const at = Date.now() - hours * 3_600_000
  return new Date(at - (at % 3_600_000)).toISOString()
}

/** A day of the calendar, whatever the time zone of the reader. */
export const formatDay = (locale: string, day: string, options: Intl.DateTimeFormatOptions) =>
  dateFormat(locale, { timeZone: 'UTC', ...options }).format(new Date(`${day}T00:00:00Z`))

/** Days beside each other, as on an axis: with the year, unless all are of the same one. */
export const formatDays = (locale: string, days: readonly string[]) => {
  const years = new Set(days.map((day) => day.slice(0, 'YYYY'.length)))
  const year = years.size > 1 ? ({ year: 'numeric' } as const) : {}
  return days.map((day) => formatDay(locale, day, { day: 'numeric', month: 'short', ...year }))
}
