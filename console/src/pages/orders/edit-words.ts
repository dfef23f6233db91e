import { pageWords } from '../../messages/page-words.ts'
import ar from './edit-words/ar.ts'
import en from './edit-words/en.ts'
import fr from './edit-words/fr.ts'

/** Words of the forms that change or create an order. */
export const useEditWords = pageWords({ en, fr, ar })
