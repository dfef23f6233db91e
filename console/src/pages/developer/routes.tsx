import { CodeXml } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { useDeveloperTitle } from './title.ts'

export default [
  {
    path: '/developer',
    page: loadablePage(() => import('./DeveloperPage.tsx')),
    who: 'developer',
    navigation: { place: 80, title: useDeveloperTitle, icon: <CodeXml />, key: 'k' },
  },
] satisfies readonly PageRoute[]
