import { Truck } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import { pageWords } from '../../messages/page-words.ts'
import type { PageRoute } from '../../page-route.ts'

export const useDeliveriesTitle = pageWords({ en: 'Deliveries', fr: 'Livraisons', ar: 'الشحنات' })

export default [
  {
    path: '/deliveries',
    page: loadablePage(() => import('./CarriersPage.tsx')),
    permission: 'order:view',
    navigation: { place: 50, title: useDeliveriesTitle, icon: <Truck />, key: 'g' },
  },
  {
    path: '/deliveries/list',
    page: loadablePage(() => import('./ParcelsPage.tsx')),
    permission: 'order:view',
  },
  {
    path: '/deliveries/import',
    page: loadablePage(() => import('./ResultsPage.tsx')),
    permission: 'order:update',
  },
] satisfies readonly PageRoute[]
