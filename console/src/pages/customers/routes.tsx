import { Users } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import { pageWords } from '../../messages/page-words.ts'
import type { PageRoute } from '../../page-route.ts'

export const useCustomersTitle = pageWords({ en: 'Customers', fr: 'Clients', ar: 'الزبائن' })

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
