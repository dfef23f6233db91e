import { pageWords } from '../../messages/page-words.ts'
import ar from './order-words/ar.ts'
import en from './order-words/en.ts'
import fr from './order-words/fr.ts'

/** Words of the settings of orders. */
export const useOrderSettingWords = pageWords({ en, fr, ar })
