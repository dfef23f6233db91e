import { Boxes } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import { pageWords } from '../../messages/page-words.ts'
import type { PageRoute } from '../../page-route.ts'

export const useBundlesTitle = pageWords({ en: 'Bundles', fr: 'Lots', ar: 'العروض المجمّعة' })

export default [
  {
    path: '/bundles',
    page: loadablePage(() => import('./BundlesPage.tsx')),
    permission: 'bundle:view',
    navigation: { place: 80, title: useBundlesTitle, icon: <Boxes />, key: 'b' },
  },
] satisfies readonly PageRoute[]
