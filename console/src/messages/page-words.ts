import { type Language, useWords } from './messages.ts'

/** Words of one page. They come with it, so that the other pages need not load them. */
export const pageWords =
  <Words>(words: Readonly<Record<Language, Words>>) =>
  () =>
    words[useWords().language]
