import { BadgePercent, LayoutGrid, ReceiptText, ScrollText, Server, Store, UsersRound } from 'lucide-react'
import { loadablePage } from '../../components/loadable.tsx'
import type { PageRoute } from '../../page-route.ts'
import {
  useAccountsTitle,
  useAllAppsTitle,
  useAuditTitle,
  useInvoicesTitle,
  usePlansTitle,
  useStoresTitle,
  useSystemTitle,
} from './titles.ts'

export default [
  {
    path: '/stores',
    page: loadablePage(() => import('./StoresPage.tsx')),
    who: 'operator',
    navigation: { place: 10, title: useStoresTitle, icon: <Store />, key: 'v' },
  },
  {
    path: '/people',
    page: loadablePage(() => import('./AccountsPage.tsx')),
    who: 'operator',
    navigation: { place: 20, title: useAccountsTitle, icon: <UsersRound />, key: 'u' },
  },
  {
    path: '/apps',
    page: loadablePage(() => import('./AppsPage.tsx')),
    who: 'operator',
    navigation: { place: 30, title: useAllAppsTitle, icon: <LayoutGrid />, key: 'x' },
  },
  {
    path: '/plans',
    page: loadablePage(() => import('./PlansPage.tsx')),
    who: 'operator',
    navigation: { place: 40, title: usePlansTitle, icon: <BadgePercent />, key: 'z' },
  },
  {
    path: '/invoices',
    page: loadablePage(() => import('./InvoicesPage.tsx')),
    who: 'operator',
    navigation: { place: 50, title: useInvoicesTitle, icon: <ReceiptText />, key: 'j' },
  },
  {
    path: '/activity',
    page: loadablePage(() => import('./AuditPage.tsx')),
    who: 'operator',
    navigation: { place: 60, title: useAuditTitle, icon: <ScrollText />, key: 'w' },
  },
  {
    path: '/system',
    page: loadablePage(() => import('./SystemPage.tsx')),
    who: 'operator',
    navigation: { place: 70, title: useSystemTitle, icon: <Server />, key: 'm' },
  },
] satisfies readonly PageRoute[]
