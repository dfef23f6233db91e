import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'

export default [
  {
    path: '/apps/:id/events',
    page: loadablePage(() => import('./EventsPage.tsx')),
    who: 'developer',
  },
  {
    path: '/apps/:id/events/:event',
    page: loadablePage(() => import('./EventPage.tsx')),
    who: 'developer',
  },
] satisfies readonly PageRoute[]
