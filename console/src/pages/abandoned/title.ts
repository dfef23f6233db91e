import { pageWords } from '../../messages/page-words.ts'

export const useAbandonedTitle = pageWords({
  en: 'Abandoned orders',
  fr: 'Commandes abandonnées',
  ar: 'الطلبات المتروكة',
})
