import { pageWords } from '../../messages/page-words.ts'

export const useInventoryTitle = pageWords({ en: 'Inventory', fr: 'Stock', ar: 'المخزون' })
