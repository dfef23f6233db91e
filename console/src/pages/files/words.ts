import { pageWords } from '../../messages/page-words.ts'
import ar from './words/ar.ts'
import en from './words/en.ts'
import fr from './words/fr.ts'

export const WORDS = { en, fr, ar }
export const useDeletionWords = pageWords(WORDS)
