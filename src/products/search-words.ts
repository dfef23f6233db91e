import { foldText, splitWords } from '../input/normalize-text.ts'
import type { StoreId } from '../storage/store-id.ts'

/** Longer ones are cut, in the index as in the search. */
const MAX_WORD_LENGTH = 64
/** What comes after so many different words of one product is not searched for. */
const MAX_WORDS = 10_000

/** Scripts that are written without spaces: a word may begin at any character. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const UNSPACED_LENGTH = 8

/** The Arabic article is written together with its noun; people search with it and without. */
const ARTICLE = 'ال'
const withoutArticle = (word: string) =>
  word.startsWith(ARTICLE) && word.length >= ARTICLE.length + 3 ? word.slice(ARTICLE.length) : word

const cut = (word: string) => [...word].slice(0, MAX_WORD_LENGTH).join('')

/** Every form under which a word can be found by its beginning. */
const findable = (word: string): string[] => {
  if (UNSPACED.test(word)) {
    const letters = [...word]
    return letters.map((_, start) => letters.slice(start, start + UNSPACED_LENGTH).join(''))
  }
  const whole = cut(word)
  return [whole, withoutArticle(whole)]
}

const sought = (word: string): string[] => {
  if (!UNSPACED.test(word)) return [withoutArticle(cut(word))]
  const letters = [...word]
  const pieces = Math.ceil(letters.length / UNSPACED_LENGTH)
  return Array.from({ length: pieces }, (_, piece) =>
    letters.slice(piece * UNSPACED_LENGTH, (piece + 1) * UNSPACED_LENGTH).join(''),
  )
}

/** The end of the id, which is random, where its start is the time. */
const markOf = (store: StoreId) => store.slice(-8)

// Words are letters and digits alone, so nothing in them can be taken for the syntax of a vector or a query.
const quoted = (mark: string, word: string) => `'${mark}${word}'`

const vector = (mark: string, texts: string[]) => {
  const found = new Set(texts.flatMap(splitWords).flatMap(findable))
  return [...found]
    .slice(0, MAX_WORDS)
    .map((word) => quoted(mark, word))
    .join(' ')
}

const withoutTags = (text: string) => text.replace(/<[^<>]*>/g, ' ')

export interface SearchableText {
  title: string
  slug: string
  description: string | null
}

/** What the columns words and title_words hold for a product. */
export const searchColumns = (store: StoreId, { title, slug, description }: SearchableText) => ({
  words: vector(markOf(store), [title, slug, withoutTags(description ?? '')]),
  title_words: vector(markOf(store), [title]),
})

export interface SearchQuery {
  /** Every word, each by its beginning. */
  all: string
  /** Any of the words by its beginning, and any of them whole: more and closer hits in a title rank higher. */
  begun: string
  whole: string
}

/** Undefined when the text has no word in it, and so nothing can be found. */
export const searchQuery = (store: StoreId, text: string): SearchQuery | undefined => {
  const pieces = [...new Set(splitWords(text).flatMap(sought))]
  // Whatever starts with the longer word starts with the shorter: "mu" adds nothing to "mug".
  const needed = pieces.filter((piece) => !pieces.some((other) => other !== piece && other.startsWith(piece)))
  if (needed.length === 0) return undefined
  const lexemes = needed.map((piece) => quoted(markOf(store), piece))
  const begun = lexemes.map((lexeme) => `${lexeme}:*`)
  return { all: begun.join(' & '), begun: begun.join(' | '), whole: lexemes.join(' | ') }
}

const MAX_KEY_LENGTH = 255

/** What sorting by title compares. Some characters fold to many; an index entry has a limit. */
export const titleKey = (title: string) => foldText(title).slice(0, MAX_KEY_LENGTH)
