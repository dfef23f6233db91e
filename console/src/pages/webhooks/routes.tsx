import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'

export default [
  {
    path: '/apps/:id/webhooks',
    page: loadablePage(() => import('./WebhooksPage.tsx')),
    who: 'developer',
  },
  {
    path: '/apps/:id/webhooks/:webhook',
    page: loadablePage(() => import('./WebhookPage.tsx')),
    who: 'developer',
  },
] satisfies readonly PageRoute[]
