import { pageWords } from '../../messages/page-words.ts'

export const useAnalyticsTitle = pageWords({ en: 'Analytics', fr: 'Analyses', ar: 'التحليلات' })
