import { pageWords } from '../../messages/page-words.ts'

export const usePlanTitle = pageWords({ en: 'Plan', fr: 'Abonnement', ar: 'الاشتراك' })
