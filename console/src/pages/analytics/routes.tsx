import { ChartLine } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import { pageWords } from '../../messages/page-words.ts'
import type { PageRoute } from '../../page-route.ts'

export const useAnalyticsTitle = pageWords({ en: 'Analytics', fr: 'Analyses', ar: 'التحليلات' })

export default [
  {
    path: '/analytics',
    page: loadablePage(() => import('./AnalyticsPage.tsx')),
    permission: 'analytic:view',
    navigation: { place: 130, title: useAnalyticsTitle, icon: <ChartLine />, key: 'y' },
  },
] satisfies readonly PageRoute[]
