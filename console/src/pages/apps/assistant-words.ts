import { pageWords } from '../../messages/page-words.ts'
import ar from './assistant-words/ar.ts'
import en from './assistant-words/en.ts'
import fr from './assistant-words/fr.ts'

export const useAssistantWords = pageWords({ en, fr, ar })
