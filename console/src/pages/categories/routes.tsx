import { Tags } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import { pageWords } from '../../messages/page-words.ts'
import type { PageRoute } from '../../page-route.ts'

export const useCategoriesTitle = pageWords({ en: 'Categories', fr: 'Catégories', ar: 'الفئات' })

export default [
  {
    path: '/categories',
    page: loadablePage(() => import('./CategoriesPage.tsx')),
    permission: 'product:view',
    navigation: { place: 90, title: useCategoriesTitle, icon: <Tags />, key: 't' },
  },
] satisfies readonly PageRoute[]
