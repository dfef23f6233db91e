import { pageWords } from '../../messages/page-words.ts'
import ar from './bulk-words/ar.ts'
import en from './bulk-words/en.ts'
import fr from './bulk-words/fr.ts'

export const useBulkWords = pageWords({ en, fr, ar })
