/** What the console uses too: this file imports nothing. */

/** Of one request: the bytes of each are removed before the reply. */
export const MAX_UNUSED = 200
/** Of each file that is kept. */
export const MAX_LINKS_OF_EACH = 5
