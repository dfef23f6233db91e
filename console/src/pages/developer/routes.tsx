import { CodeXml } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import { pageWords } from '../../messages/page-words.ts'
import type { PageRoute } from '../../page-route.ts'

export const useDeveloperTitle = pageWords({ en: 'Developer', fr: 'Développement', ar: 'المطوّر' })

export default [
  {
    path: '/developer',
    page: loadablePage(() => import('./DeveloperPage.tsx')),
    who: 'developer',
    navigation: { place: 80, title: useDeveloperTitle, icon: <CodeXml />, key: 'k' },
  },
] satisfies readonly PageRoute[]
