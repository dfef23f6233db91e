import { Images } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import { pageWords } from '../../messages/page-words.ts'
import type { PageRoute } from '../../page-route.ts'

export const useFilesTitle = pageWords({ en: 'Files', fr: 'Fichiers', ar: 'الملفات' })

export default [
  {
    path: '/files',
    page: loadablePage(() => import('./FilesPage.tsx')),
    permission: 'file:browse',
    navigation: { place: 140, title: useFilesTitle, icon: <Images />, key: 'f' },
  },
] satisfies readonly PageRoute[]
