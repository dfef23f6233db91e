import { PhoneMissed } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import { pageWords } from '../../messages/page-words.ts'
import type { PageRoute } from '../../page-route.ts'

export const useAbandonedTitle = pageWords({
  en: 'Abandoned orders',
  fr: 'Commandes abandonnées',
  ar: 'الطلبات المتروكة',
})

export default [
  {
    path: '/abandoned',
    page: loadablePage(() => import('./AbandonedPage.tsx')),
    permission: 'order:view',
    navigation: { place: 40, title: useAbandonedTitle, icon: <PhoneMissed />, key: 'd' },
  },
] satisfies readonly PageRoute[]
