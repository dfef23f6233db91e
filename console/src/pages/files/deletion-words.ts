import { pageWords } from '../../messages/page-words.ts'
import ar from './deletion-words/ar.ts'
import en from './deletion-words/en.ts'
import fr from './deletion-words/fr.ts'

export const WORDS = { en, fr, ar }
export const useDeletionWords = pageWords(WORDS)
