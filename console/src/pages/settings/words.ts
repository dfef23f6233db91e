import { pageWords } from '../../messages/page-words.ts'
import ar from './words/ar.ts'
import en from './words/en.ts'
import fr from './words/fr.ts'

export type { SettingsWords } from './words/en.ts'
export const useSettingsWords = pageWords({ en, fr, ar })
