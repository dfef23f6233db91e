/**
 * Folds text for comparison: no case, accents, Arabic vowel marks or width. Done in Node and stored, so that sorting
 * and searching do not depend on PostgreSQL's locale.
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

/** Characters that keyboards produce for an apostrophe. The full-width one is already folded. */
const APOSTROPHES = /[‘’‛ʼʻ′`]/g

/** Folded text in which all apostrophes are the same. */
export const foldForSearch = (text: string) => foldText(text).replace(APOSTROPHES, "'")

/** Words of any script, folded. */
export const splitWords = (text: string): string[] => foldForSearch(text).match(/[\p{L}\p{N}]+/gu) ?? []

const MAX_SLUG_LENGTH = 120

/** Words joined by hyphens, in their own script. */
export const slugify = (text: string) => splitWords(text).join('-').slice(0, MAX_SLUG_LENGTH).replace(/-+$/, '')
