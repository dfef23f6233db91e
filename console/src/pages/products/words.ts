import { pageWords } from '../../messages/page-words.ts'
import ar from './words/ar.ts'
import en from './words/en.ts'
import fr from './words/fr.ts'

export type { ProductWords } from './words/en.ts'
export const useProductWords = pageWords({ en, fr, ar })
