import { pageWords } from '../../messages/page-words.ts'
import ar from './system-words/ar.ts'
import en from './system-words/en.ts'
import fr from './system-words/fr.ts'

export const useSystemWords = pageWords({ en, fr, ar })
