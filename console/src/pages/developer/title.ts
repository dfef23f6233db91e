import { pageWords } from '../../messages/page-words.ts'

export const useDeveloperTitle = pageWords({ en: 'Developer', fr: 'Développement', ar: 'المطوّر' })
