import { pageWords } from '../../messages/page-words.ts'
import ar from './request-words/ar.ts'
import en from './request-words/en.ts'
import fr from './request-words/fr.ts'

export const useRequestWords = pageWords({ en, fr, ar })
