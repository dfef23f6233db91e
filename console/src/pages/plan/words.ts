import { pageWords } from '../../messages/page-words.ts'
import ar from './words/ar.ts'
import en from './words/en.ts'
import fr from './words/fr.ts'

export type { PlanWords } from './words/en.ts'
export const usePlanWords = pageWords({ en, fr, ar })
