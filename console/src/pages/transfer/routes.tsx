import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'

export default [
  {
    path: '/import',
    page: loadablePage(() => import('./ImportPage.tsx')),
    anyOf: ['product:create', 'customer:create'],
  },
] satisfies readonly PageRoute[]
