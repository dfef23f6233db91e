import { pageWords } from '../../messages/page-words.ts'
import ar from './words/ar.ts'
import en from './words/en.ts'
import fr from './words/fr.ts'

export type { AppWords } from './words/en.ts'
export const useAppWords = pageWords({ en, fr, ar })
