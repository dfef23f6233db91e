import { Boxes } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { useBundlesTitle } from './title.ts'

export default [
  {
    path: '/bundles',
    page: loadablePage(() => import('./BundlesPage.tsx')),
    permission: 'bundle:view',
    navigation: { place: 80, title: useBundlesTitle, icon: <Boxes />, key: 'b' },
  },
] satisfies readonly PageRoute[]
