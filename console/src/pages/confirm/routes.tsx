import { PhoneCall } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import { pageWords } from '../../messages/page-words.ts'
import type { PageRoute } from '../../page-route.ts'

export const useConfirmTitle = pageWords({ en: 'Confirm', fr: 'À confirmer', ar: 'تأكيد الطلبات' })

export default [
  {
    path: '/confirm',
    page: loadablePage(() => import('./ConfirmPage.tsx')),
    permission: 'order:update',
    navigation: { place: 30, title: useConfirmTitle, icon: <PhoneCall />, key: 'q' },
  },
] satisfies readonly PageRoute[]
