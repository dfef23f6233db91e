import { pageWords } from '../../messages/page-words.ts'

export const useSettingsTitle = pageWords({ en: 'Settings', fr: 'Réglages', ar: 'الإعدادات' })
