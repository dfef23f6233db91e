import { pageWords } from '../../messages/page-words.ts'

export const useStoresTitle = pageWords({ en: 'Stores', fr: 'Boutiques', ar: 'المتاجر' })
export const useAccountsTitle = pageWords({ en: 'Accounts', fr: 'Comptes', ar: 'الحسابات' })
export const useAllAppsTitle = pageWords({ en: 'All apps', fr: 'Toutes les applications', ar: 'كل التطبيقات' })
export const usePlansTitle = pageWords({ en: 'Plans', fr: 'Offres', ar: 'الباقات' })
export const useInvoicesTitle = pageWords({ en: 'Invoices', fr: 'Factures', ar: 'الفواتير' })
export const useAuditTitle = pageWords({ en: 'Audit log', fr: 'Journal d’audit', ar: 'سجل التدقيق' })
export const useSystemTitle = pageWords({ en: 'System', fr: 'Système', ar: 'النظام' })
