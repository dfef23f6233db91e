import { Truck } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { useDeliveriesTitle } from './title.ts'

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
