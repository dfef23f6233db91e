import { PhoneCall } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import { useConfirmTitle } from './title.ts'

export default [
  {
    path: '/confirm',
    page: loadablePage(() => import('./ConfirmPage.tsx')),
    permission: 'order:update',
    navigation: { place: 30, title: useConfirmTitle, icon: <PhoneCall />, key: 'q' },
  },
] satisfies readonly PageRoute[]
