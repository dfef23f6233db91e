import { pageWords } from '../../messages/page-words.ts'
import ar from './text-words/ar.ts'
import en from './text-words/en.ts'
import fr from './text-words/fr.ts'

export const useTextWords = pageWords({ en, fr, ar })
