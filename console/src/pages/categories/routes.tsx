import { Tags } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { useCategoriesTitle } from './title.ts'

export default [
  {
    path: '/categories',
    page: loadablePage(() => import('./CategoriesPage.tsx')),
    permission: 'product:view',
    navigation: { place: 90, title: useCategoriesTitle, icon: <Tags />, key: 't' },
  },
] satisfies readonly PageRoute[]
