import { pageWords } from '../../messages/page-words.ts'

export const usePeopleTitle = pageWords({ en: 'People', fr: 'Équipe', ar: 'الفريق' })
