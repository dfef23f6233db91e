import { Star } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { useReviewsTitle } from './title.ts'

export default [
  {
    path: '/reviews',
    page: loadablePage(() => import('./ReviewsPage.tsx')),
    permission: 'review:view',
    navigation: { place: 110, title: useReviewsTitle, icon: <Star />, key: 'r' },
  },
] satisfies readonly PageRoute[]
