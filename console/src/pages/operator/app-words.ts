import { pageWords } from '../../messages/page-words.ts'
import ar from './app-words/ar.ts'
import en from './app-words/en.ts'
import fr from './app-words/fr.ts'

export const useServiceAppWords = pageWords({ en, fr, ar })
