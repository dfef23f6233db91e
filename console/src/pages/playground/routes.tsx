import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'

export default [
  {
    path: '/apps/:id/playground',
    page: loadablePage(() => import('./PlaygroundPage.tsx')),
    who: 'developer',
  },
] satisfies readonly PageRoute[]
