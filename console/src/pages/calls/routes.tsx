import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'

export default [
  {
    path: '/apps/:id/log',
    page: loadablePage(() => import('./LogPage.tsx')),
    who: 'developer',
  },
  {
    path: '/apps/:id/log/:request',
    page: loadablePage(() => import('./CallPage.tsx')),
    who: 'developer',
  },
  {
    path: '/apps/:id/errors',
    page: loadablePage(() => import('./ErrorsPage.tsx')),
    who: 'developer',
  },
  {
    path: '/apps/:id/permissions',
    page: loadablePage(() => import('./PermissionsPage.tsx')),
    who: 'developer',
  },
  {
    path: '/apps/:id/retries',
    page: loadablePage(() => import('./RetriesPage.tsx')),
    who: 'developer',
  },
] satisfies readonly PageRoute[]
