/**
 * Text as people compare it: without case, accents, Arabic vowel marks or width. Done here and stored, so that sorting and
 * finding are the same on every PostgreSQL, whatever its locale.
 */
export const foldText = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\u0640]/gu, '')
    .toLowerCase()
    .replace(/[أإآٱ]/g, 'ا')
    .replace(/ى/g, 'ي')
    .replace(/ß/g, 'ss')
    .replace(/œ/g, 'oe')
    .replace(/æ/g, 'ae')
    .replace(/ø/g, 'o')
    .replace(/ł/g, 'l')
    .replace(/ı/g, 'i')
    .normalize('NFC')

/** What stands for an apostrophe on one keyboard or another; the full-width one has been folded. */
const APOSTROPHES = /[‘’‛ʼʻ′`]/g

/** Folded text in which every apostrophe is the same one. */
export const foldForSearch = (text: string) => foldText(text).replace(APOSTROPHES, "'")

/** Words of any script, folded. */
export const splitWords = (text: string): string[] => foldForSearch(text).match(/[\p{L}\p{N}]+/gu) ?? []

const MAX_SLUG_LENGTH = 120

/** For an address: words joined by hyphens, in their own script. */
export const slugify = (text: string) => splitWords(text).join('-').slice(0, MAX_SLUG_LENGTH).replace(/-+$/, '')
