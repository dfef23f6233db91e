import { UsageError } from './arguments.ts'

const SECONDS: Record<string, number> = { m: 60, h: 3_600, d: 86_400 }
const MAX_SECONDS = 90 * 86_400

/** `30m`, `24h` or `7d`, in seconds. */
export const readDuration = (option: string, text: string): number => {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? []
  const seconds = Number(count) * (SECONDS[unit] ?? Number.NaN)
  if (seconds <= MAX_SECONDS) return seconds
  throw new UsageError(`--${option} must be minutes, hours or days, 90d at most: 30m, 24h or 7d.`)
}
