import { foldText, splitWords } from '../../core/input/normalize-text.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

/** Longer words are cut, in the index and in the search. */
const MAX_WORD_LENGTH = 64
/** Words beyond this number are not searchable. */
const MAX_WORDS = 10_000

/** Scripts written without spaces: a word may begin at any character. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const UNSPACED_LENGTH = 8

/** The Arabic article is written together with its noun; people search with and without it. */
const ARTICLE = 'ال'
const withoutArticle = (word: string) =>
  word.startsWith(ARTICLE) && word.length >= ARTICLE.length + 3 ? word.slice(ARTICLE.length) : word

const cut = (word: string) => [...word].slice(0, MAX_WORD_LENGTH).join('')

/** Every form under which a word can be found by prefix. */
const indexedForms = (word: string): string[] => {
  if (UNSPACED.test(word)) {
    const letters = [...word]
    return letters.map((_, start) => letters.slice(start, start + UNSPACED_LENGTH).join(''))
  }
  const whole = cut(word)
  return [whole, withoutArticle(whole)]
}

const searchedForms = (word: string): string[] => {
  if (!UNSPACED.test(word)) return [withoutArticle(cut(word))]
  const letters = [...word]
  const pieces = Math.ceil(letters.length / UNSPACED_LENGTH)
  return Array.from({ length: pieces }, (_, piece) =>
    letters.slice(piece * UNSPACED_LENGTH, (piece + 1) * UNSPACED_LENGTH).join(''),
  )
}

/** The last 8 digits of the id are random; the first ones are the time. */
const storePrefix = (store: StoreId) => store.slice(-8)

// Words contain only letters and digits, so they cannot be mistaken for tsquery syntax.
const quoted = (mark: string, word: string) => `'${mark}${word}'`

const vector = (mark: string, texts: string[]) => {
  const found = new Set(texts.flatMap(splitWords).flatMap(indexedForms))
  return [...found]
    .slice(0, MAX_WORDS)
    .map((word) => quoted(mark, word))
    .join(' ')
}

const withoutTags = (text: string) => text.replace(/<[^<>]*>/g, ' ')

interface SearchableText {
  title: string
  slug: string
  description: string | null
}

/** Values of the columns `words` and `title_words`. */
export const searchColumns = (store: StoreId, { title, slug, description }: SearchableText) => ({
  words: vector(storePrefix(store), [title, slug, withoutTags(description ?? '')]),
  title_words: vector(storePrefix(store), [title]),
})

interface SearchQuery {
  /** All words, by prefix. */
  all: string
  /** Any word by prefix, and any whole word: used to rank titles. */
  begun: string
  whole: string
}

/** Undefined if the text contains no word, so that nothing can match. */
export const searchQuery = (store: StoreId, text: string): SearchQuery | undefined => {
  const pieces = [...new Set(splitWords(text).flatMap(searchedForms))]
  // "mu" adds nothing to "mug": whatever starts with the longer word starts with the shorter one.
  const needed = pieces.filter((piece) => !pieces.some((other) => other !== piece && other.startsWith(piece)))
  if (needed.length === 0) return undefined
  const lexemes = needed.map((piece) => quoted(storePrefix(store), piece))
  const begun = lexemes.map((lexeme) => `${lexeme}:*`)
  return { all: begun.join(' & '), begun: begun.join(' | '), whole: lexemes.join(' | ') }
}

const MAX_KEY_LENGTH = 255

/** Sort key of the title, cut because some characters fold to many and index entries are limited. */
export const titleKey = (title: string) => foldText(title).slice(0, MAX_KEY_LENGTH)
