import { Warehouse } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { useInventoryTitle } from './title.ts'

export default [
  {
    path: '/inventory',
    page: loadablePage(() => import('./InventoryPage.tsx')),
    permission: 'product:view',
    navigation: { place: 70, title: useInventoryTitle, icon: <Warehouse />, key: 'i' },
  },
] satisfies readonly PageRoute[]
