import { pageWords } from '../../messages/page-words.ts'
import ar from './print-words/ar.ts'
import en from './print-words/en.ts'
import fr from './print-words/fr.ts'

export const usePrintWords = pageWords({ en, fr, ar })
