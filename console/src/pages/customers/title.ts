import { pageWords } from '../../messages/page-words.ts'

export const useCustomersTitle = pageWords({ en: 'Customers', fr: 'Clients', ar: 'الزبائن' })
