import { Settings } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { useSettingsTitle } from './title.ts'

export default [
  {
    path: '/settings',
    page: loadablePage(() => import('./SettingsPage.tsx')),
    permission: 'setting:view',
    navigation: { place: 150, title: useSettingsTitle, icon: <Settings />, key: 's' },
  },
] satisfies readonly PageRoute[]
