import { pageWords } from '../../messages/page-words.ts'

export const useOrdersTitle = pageWords({ en: 'Orders', fr: 'Commandes', ar: 'الطلبات' })
