import { pageWords } from '../../messages/page-words.ts'

export const useReviewsTitle = pageWords({ en: 'Reviews', fr: 'Avis', ar: 'التقييمات' })
