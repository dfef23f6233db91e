import { Warehouse } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import { pageWords } from '../../messages/page-words.ts'
import type { PageRoute } from '../../page-route.ts'

export const useInventoryTitle = pageWords({ en: 'Inventory', fr: 'Stock', ar: 'المخزون' })

export default [
  {
    path: '/inventory',
    page: loadablePage(() => import('./InventoryPage.tsx')),
    permission: 'product:view',
    navigation: { place: 70, title: useInventoryTitle, icon: <Warehouse />, key: 'i' },
  },
] satisfies readonly PageRoute[]
