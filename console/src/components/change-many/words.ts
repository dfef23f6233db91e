import { pageWords } from '../../messages/page-words.ts'
import ar from './ar.ts'
import en from './en.ts'
import fr from './fr.ts'

export const useChangeWords = pageWords({ en, fr, ar })
