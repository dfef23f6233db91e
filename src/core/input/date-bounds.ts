const DAY = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^(\d{4}-\d{2}-\d{2})[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})?$/
// Fewer digits are more likely a year or a date without hyphens.
const UNIX_SECONDS = /^\d{9,11}$/
const UNIX_MILLISECONDS = /^\d{13}$/

/** `Date` parses 30 February as 2 March, so the result is compared with the text. */
export const dayExists = (day: string) => {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

/** Years 1 to 9999. */
const isSupportedYear = (date: Date) => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999

const read = (text: string, timeOfBareDay: string): Date | undefined => {
  const date = parse(text, timeOfBareDay)
  return date && isSupportedYear(date) ? date : undefined
}

const parse = (text: string, timeOfBareDay: string): Date | undefined => {
  if (UNIX_SECONDS.test(text)) return new Date(Number(text) * 1000)
  if (UNIX_MILLISECONDS.test(text)) return new Date(Number(text))
  if (DAY.test(text)) return dayExists(text) ? new Date(`${text}T${timeOfBareDay}Z`) : undefined
  const [, day, , , zone] = MOMENT.exec(text) ?? []
  if (!day || !dayExists(day)) return undefined
  // An unencoded plus sign arrives as a space only before the zone, which MOMENT refuses.
  return new Date(`${text.replace(' ', 'T')}${zone ? '' : 'Z'}`)
}

export const isDateBound = (text: string) => read(text, '00:00:00.000') !== undefined

const readKnown = (text: string | undefined, timeOfBareDay: string) =>
  text === undefined ? undefined : read(text, timeOfBareDay)

/** `from`: a date without a time means the start of that day, UTC. */
export const earliest = (text: string | undefined) => readKnown(text, '00:00:00.000')
/** `to`: a date without a time means the end of that day, UTC. */
export const latest = (text: string | undefined) => readKnown(text, '23:59:59.999')
