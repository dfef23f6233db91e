import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'

export default [
  {
    path: '/invoices/:id',
    page: loadablePage(() => import('./InvoicePage.tsx')),
    permission: 'invoice:view',
  },
] satisfies readonly PageRoute[]
