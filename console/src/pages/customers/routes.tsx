import { Users } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { useCustomersTitle } from './title.ts'

export default [
  {
    path: '/customers',
    page: loadablePage(() => import('./CustomersPage.tsx')),
    permission: 'customer:view',
    navigation: { place: 100, title: useCustomersTitle, icon: <Users />, key: 'c' },
  },
  {
    path: '/customers/:id',
    page: loadablePage(() => import('./CustomerPage.tsx')),
    permission: 'customer:view',
  },
] satisfies readonly PageRoute[]
