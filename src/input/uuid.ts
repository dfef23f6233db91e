/** An id as the API writes it. */
export const UUID_PATTERN = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

const WHOLE = new RegExp(`^${UUID_PATTERN}$`, 'i')
const WITHIN = new RegExp(`\\b${UUID_PATTERN}\\b`, 'gi')

/** Whether PostgreSQL takes the text as a uuid. */
export const isUuid = (text: string) => WHOLE.test(text)

/** The text with its ids in lower case, so that an id is the same however it is written. */
export const lowerCaseUuids = (text: string) => text.replace(WITHIN, (id) => id.toLowerCase())
