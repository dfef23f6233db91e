import { LayoutTemplate } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { useLandingPagesTitle } from './title.ts'

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
