import { pageWords } from '../../messages/page-words.ts'
import ar from './second-factor-words/ar.ts'
import en from './second-factor-words/en.ts'
import fr from './second-factor-words/fr.ts'

export const useSecondFactorWords = pageWords({ en, fr, ar })
