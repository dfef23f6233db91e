import { Settings } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import { pageWords } from '../../messages/page-words.ts'
import type { PageRoute } from '../../page-route.ts'

export const useSettingsTitle = pageWords({ en: 'Settings', fr: 'Réglages', ar: 'الإعدادات' })

export default [
  {
    path: '/settings',
    page: loadablePage(() => import('./SettingsPage.tsx')),
    permission: 'setting:view',
    navigation: { place: 150, title: useSettingsTitle, icon: <Settings />, key: 's' },
  },
] satisfies readonly PageRoute[]
