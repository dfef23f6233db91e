/** Local time of a store. Instants and walls are milliseconds; a wall is what a local clock shows, read as if in UTC. */

export const QUARTER = 15 * 60_000
const HOUR = 4 * QUARTER
const DAY = 24 * HOUR

const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (zone: string) => {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formats.set(zone, format)
  }
  return format
}

export const isTimeZone = (zone: string): boolean => {
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}

/** What a clock in the zone shows at an instant of whole seconds. */
export const wallAt = (zone: string, at: number): number => {
  const [month, day, year, hour, minute, second] = formatOf(zone).format(at).split(/\D+/).map(Number) as number[]
  return Date.UTC(year as number, (month as number) - 1, day, hour, minute, second)
}

const offsetAt = (zone: string, at: number) => wallAt(zone, at) - at

/**
 * The first instant at which the clock shows the wall. A wall that the clock skips stands for the moment of the jump;
 * of one that it shows twice, the first counts.
 */
export const instantOf = (zone: string, wall: number): number => {
  const before = offsetAt(zone, wall - DAY)
  const after = offsetAt(zone, wall + DAY)
  const shown = [wall - before, wall - after].filter((at) => wallAt(zone, at) === wall)
  if (shown.length > 0) return Math.min(...shown)
  let at = wall - after
  while (offsetAt(zone, at) !== after) at += QUARTER
  return at
}

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const
export type Interval = (typeof INTERVALS)[number]

/** At least this long, give or take an hour. */
const LENGTHS: Record<Interval, number> = { hour: HOUR, day: DAY, week: 7 * DAY, month: 28 * DAY }

/** More than this are refused. */
export const MAX_INTERVALS = 1_000

/** Weeks begin on Monday. */
const nextWall = (interval: Exclude<Interval, 'hour'>, wall: number): number => {
  const date = new Date(wall)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  if (interval === 'day') return Date.UTC(year, month, day + 1)
  if (interval === 'week') return Date.UTC(year, month, day + 7 - ((date.getUTCDay() + 6) % 7))
  return Date.UTC(year, month + 1, 1)
}

/** The next full hour, or the moment at which the clock is changed. */
const nextHour = (zone: string, at: number): number => {
  const offset = offsetAt(zone, at)
  const full = at + HOUR - ((at + offset) % HOUR)
  if (offsetAt(zone, full) === offset) return full
  let changed = at + QUARTER
  while (offsetAt(zone, changed) === offset) changed += QUARTER
  return changed
}

/** The starts of the intervals between two instants; the first and the last may be cut. None if there are too many. */
export const intervalStarts = (zone: string, interval: Interval, from: number, to: number): number[] | undefined => {
  if ((to - from) / LENGTHS[interval] > MAX_INTERVALS + 1) return undefined
  const starts = [from]
  let wall = wallAt(zone, from)
  for (let at = from; ; ) {
    if (interval === 'hour') at = nextHour(zone, at)
    else {
      wall = nextWall(interval, wall)
      at = instantOf(zone, wall)
    }
    if (at >= to) return starts
    // A zone that crosses the date line skips a day.
    if (at > (starts.at(-1) as number)) starts.push(at)
    if (starts.length > MAX_INTERVALS) return undefined
  }
}

const LABELS: Record<Interval, number> = { hour: 13, day: 10, week: 10, month: 7 }

/** `2026-11-16T14:00`, `2026-11-16` or `2026-11`: an interval by the store's calendar, whole or cut. */
export const labelOf = (zone: string, interval: Interval, start: number) => {
  const label = new Date(wallAt(zone, start)).toISOString().slice(0, LABELS[interval])
  return interval === 'hour' ? `${label}:00` : label
}
