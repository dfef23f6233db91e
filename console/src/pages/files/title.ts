import { pageWords } from '../../messages/page-words.ts'

export const useFilesTitle = pageWords({ en: 'Files', fr: 'Fichiers', ar: 'الملفات' })
