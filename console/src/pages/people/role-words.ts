import { pageWords } from '../../messages/page-words.ts'
import ar from './role-words/ar.ts'
import en from './role-words/en.ts'
import fr from './role-words/fr.ts'

export const useRoleWords = pageWords({ en, fr, ar })
