import { Images } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { useFilesTitle } from './title.ts'

export default [
  {
    path: '/files',
    page: loadablePage(() => import('./FilesPage.tsx')),
    permission: 'file:browse',
    navigation: { place: 140, title: useFilesTitle, icon: <Images />, key: 'f' },
  },
] satisfies readonly PageRoute[]
