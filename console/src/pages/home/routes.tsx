import { House } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import { pageWords } from '../../messages/page-words.ts'
import type { PageRoute } from '../../page-route.ts'

export const useHomeTitle = pageWords({ en: 'Home', fr: 'Accueil', ar: 'الرئيسية' })

export default [
  {
    path: '',
    page: loadablePage(() => import('./HomePage.tsx')),
    navigation: { place: 10, title: useHomeTitle, icon: <House />, key: 'h' },
  },
] satisfies readonly PageRoute[]
