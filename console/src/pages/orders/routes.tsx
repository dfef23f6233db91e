import { Package } from 'lucide-react'
import type { ListSource } from '../../components/list-query.ts'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { ORDERS } from './source.ts'
import { useOrdersTitle } from './title.ts'

export default [
  {
    path: '/orders',
    page: loadablePage(() => import('./OrdersPage.tsx')),
    list: ORDERS as ListSource<unknown>,
    permission: 'order:view',
    navigation: { place: 20, title: useOrdersTitle, icon: <Package />, key: 'o' },
  },
  {
    path: '/orders/print',
    page: loadablePage(() => import('./PrintPage.tsx')),
    permission: 'order:view',
  },
  {
    path: '/orders/new',
    page: loadablePage(() => import('./NewOrderPage.tsx')),
    permission: 'order:create',
  },
  {
    path: '/orders/:id',
    page: loadablePage(() => import('./OrderPage.tsx')),
    permission: 'order:view',
  },
] satisfies readonly PageRoute[]
