import { Star } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import { pageWords } from '../../messages/page-words.ts'
import type { PageRoute } from '../../page-route.ts'

export const useReviewsTitle = pageWords({ en: 'Reviews', fr: 'Avis', ar: 'التقييمات' })

export default [
  {
    path: '/reviews',
    page: loadablePage(() => import('./ReviewsPage.tsx')),
    permission: 'review:view',
    navigation: { place: 110, title: useReviewsTitle, icon: <Star />, key: 'r' },
  },
] satisfies readonly PageRoute[]
