import { House } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { useHomeTitle } from './title.ts'

export default [
  {
    path: '',
    page: loadablePage(() => import('./HomePage.tsx')),
    navigation: { place: 10, title: useHomeTitle, icon: <House />, key: 'h' },
  },
] satisfies readonly PageRoute[]
