import { PhoneMissed } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { useAbandonedTitle } from './title.ts'

export default [
  {
    path: '/abandoned',
    page: loadablePage(() => import('./AbandonedPage.tsx')),
    permission: 'order:view',
    navigation: { place: 40, title: useAbandonedTitle, icon: <PhoneMissed />, key: 'd' },
  },
] satisfies readonly PageRoute[]
