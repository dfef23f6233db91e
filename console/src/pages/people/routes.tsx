import { UserCog } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import { pageWords } from '../../messages/page-words.ts'
import type { PageRoute } from '../../page-route.ts'

export const usePeopleTitle = pageWords({ en: 'People', fr: 'Équipe', ar: 'الفريق' })

export default [
  {
    path: '/people',
    page: loadablePage(() => import('./PeoplePage.tsx')),
    ownersOnly: true,
    navigation: { place: 160, title: usePeopleTitle, icon: <UserCog />, key: 'e' },
  },
] satisfies readonly PageRoute[]
