import { pageWords } from '../../messages/page-words.ts'

export const useCategoriesTitle = pageWords({ en: 'Categories', fr: 'Catégories', ar: 'الفئات' })
