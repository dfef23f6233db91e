import { pageWords } from '../../messages/page-words.ts'

export const useBundlesTitle = pageWords({ en: 'Bundles', fr: 'Lots', ar: 'العروض المجمّعة' })
