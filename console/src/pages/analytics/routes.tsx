import { ChartLine } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { useAnalyticsTitle } from './title.ts'

export default [
  {
    path: '/analytics',
    page: loadablePage(() => import('./AnalyticsPage.tsx')),
    permission: 'analytic:view',
    navigation: { place: 130, title: useAnalyticsTitle, icon: <ChartLine />, key: 'y' },
  },
] satisfies readonly PageRoute[]
