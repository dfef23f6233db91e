import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'

export default [
  {
    path: '/me',
    page: loadablePage(() => import('./AccountPage.tsx')),
    who: 'everybody',
  },
] satisfies readonly PageRoute[]
