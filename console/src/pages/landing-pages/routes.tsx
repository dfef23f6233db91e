import { LayoutTemplate } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import { pageWords } from '../../messages/page-words.ts'
import type { PageRoute } from '../../page-route.ts'

export const useLandingPagesTitle = pageWords({ en: 'Landing pages', fr: 'Pages de vente', ar: 'صفحات الهبوط' })

export default [
  {
    path: '/landing-pages',
    page: loadablePage(() => import('./LandingPagesPage.tsx')),
    permission: 'landing_page:view',
    navigation: { place: 120, title: useLandingPagesTitle, icon: <LayoutTemplate />, key: 'l' },
  },
  {
    path: '/landing-pages/:id',
    page: loadablePage(() => import('./LandingPagePage.tsx')),
    permission: 'landing_page:view',
  },
] satisfies readonly PageRoute[]
