import { pageWords } from '../../messages/page-words.ts'

export const useLandingPagesTitle = pageWords({ en: 'Landing pages', fr: 'Pages de vente', ar: 'صفحات الهبوط' })
