/** A UUID in lower case. */
export const UUID_PATTERN = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

const WHOLE = new RegExp(`^${UUID_PATTERN}$`, 'i')
const WITHIN = new RegExp(`\\b${UUID_PATTERN}\\b`, 'gi')

/** Whether PostgreSQL accepts the text as a UUID. */
export const isUuid = (text: string) => WHOLE.test(text)

/** Converts all UUIDs in the text to lower case. */
export const lowerCaseUuids = (text: string) => text.replace(WITHIN, (id) => id.toLowerCase())
