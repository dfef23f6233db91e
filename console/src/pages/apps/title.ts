import { pageWords } from '../../messages/page-words.ts'

export const useAppsTitle = pageWords({ en: 'Apps', fr: 'Applications', ar: 'التطبيقات' })
