import { Blocks } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { useAppsTitle } from './title.ts'

const APPS = ['app:install', 'app:uninstall', 'app:boot']

export default [
  {
    path: '/apps',
    page: loadablePage(() => import('./AppsPage.tsx')),
    anyOf: APPS,
    navigation: { place: 170, title: useAppsTitle, icon: <Blocks />, key: 'a' },
  },
  {
    path: '/apps/:client',
    page: loadablePage(() => import('./AppPage.tsx')),
    anyOf: APPS,
  },
  {
    path: '/apps/:client/open',
    page: loadablePage(() => import('./OpenAppPage.tsx')),
    permission: 'app:boot',
  },
  {
    path: '/me/assistants',
    page: loadablePage(() => import('./AssistantsPage.tsx')),
    who: 'everybody',
  },
] satisfies readonly PageRoute[]
