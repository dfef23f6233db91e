import { pageWords } from '../../messages/page-words.ts'
import ar from './plan-words/ar.ts'
import en from './plan-words/en.ts'
import fr from './plan-words/fr.ts'

export const useServicePlanWords = pageWords({ en, fr, ar })
