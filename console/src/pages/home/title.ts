import { pageWords } from '../../messages/page-words.ts'

export const useHomeTitle = pageWords({ en: 'Home', fr: 'Accueil', ar: 'الرئيسية' })
