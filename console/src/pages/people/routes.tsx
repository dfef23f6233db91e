import { UserCog } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { usePeopleTitle } from './title.ts'

export default [
  {
    path: '/people',
    page: loadablePage(() => import('./PeoplePage.tsx')),
    ownersOnly: true,
    navigation: { place: 160, title: usePeopleTitle, icon: <UserCog />, key: 'e' },
  },
] satisfies readonly PageRoute[]
