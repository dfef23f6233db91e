import { pageWords } from '../../messages/page-words.ts'
import ar from './words/ar.ts'
import en from './words/en.ts'
import fr from './words/fr.ts'

export type { HomeWords } from './words/en.ts'
export const useHomeWords = pageWords({ en, fr, ar })
