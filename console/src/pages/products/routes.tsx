import { Shirt } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { useProductsTitle } from './title.ts'

export default [
  {
    path: '/products',
    page: loadablePage(() => import('./ProductsPage.tsx')),
    permission: 'product:view',
    navigation: { place: 60, title: useProductsTitle, icon: <Shirt />, key: 'p' },
  },
  {
    path: '/products/new',
    page: loadablePage(() => import('./ProductPage.tsx')),
    permission: 'product:create',
  },
  {
    path: '/products/:id',
    page: loadablePage(() => import('./ProductPage.tsx')),
    permission: 'product:view',
  },
] satisfies readonly PageRoute[]
