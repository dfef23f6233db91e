import { CreditCard } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { usePlanTitle } from './title.ts'

export default [
  {
    path: '/plan',
    page: loadablePage(() => import('./PlanPage.tsx')),
    anyOf: ['plan:switch', 'invoice:view'],
    navigation: { place: 180, title: usePlanTitle, icon: <CreditCard />, key: 'n' },
  },
] satisfies readonly PageRoute[]
