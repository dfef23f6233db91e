import { type Language, useWords } from './messages.ts'

/** A hook for words of one page in the language of the reader. `of` is for those who know the language. */
export interface PageWords<Words> {
  (): Words
  of: (language: Language) => Words
}

/** Words of one page. They come with it, so that the other pages need not load them. */
export const pageWords = <Words>(words: Readonly<Record<Language, Words>>): PageWords<Words> => {
  const of = (language: Language) => words[language]
  return Object.assign(() => of(useWords().language), { of })
}
