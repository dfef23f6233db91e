import { pageWords } from '../../messages/page-words.ts'

export const useProductsTitle = pageWords({ en: 'Products', fr: 'Produits', ar: 'المنتجات' })
