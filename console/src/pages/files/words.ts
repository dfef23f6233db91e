import { pageWords } from '../../messages/page-words.ts'
import ar from './words/ar.ts'
import en from './words/en.ts'
import fr from './words/fr.ts'

export type { FileWords } from './words/en.ts'
export const useFileWords = pageWords({ en, fr, ar })
