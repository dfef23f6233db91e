import { CreditCard } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import { pageWords } from '../../messages/page-words.ts'
import type { PageRoute } from '../../page-route.ts'

export const usePlanTitle = pageWords({ en: 'Plan', fr: 'Abonnement', ar: 'الاشتراك' })

export default [
  {
    path: '/plan',
    page: loadablePage(() => import('./PlanPage.tsx')),
    anyOf: ['plan:switch', 'invoice:view'],
    navigation: { place: 180, title: usePlanTitle, icon: <CreditCard />, key: 'n' },
  },
] satisfies readonly PageRoute[]
