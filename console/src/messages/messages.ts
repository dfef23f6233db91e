import { createContext, useContext } from 'react'
import en from './en.ts'
import type { Messages } from './shape.ts'

export const LANGUAGES = { en: 'English', fr: 'Français', ar: 'العربية' } as const
export type Language = keyof typeof LANGUAGES

/** Formats of numbers and dates. Tunisian Arabic writes Latin digits. */
const LOCALES: Record<Language, string> = { en: 'en', fr: 'fr', ar: 'ar-TN' }

export const localeOf = (language: Language) => LOCALES[language]

export const isLanguage = (text: string | null | undefined): text is Language =>
  text === 'en' || text === 'fr' || text === 'ar'

const loadMessages = async (language: Language): Promise<Messages> => {
  if (language === 'fr') return (await import('./fr.ts')).default
  if (language === 'ar') return (await import('./ar.ts')).default
  return en
}

export interface Words {
  language: Language
  locale: string
  messages: Messages
}

export const loadWords = async (language: Language): Promise<Words> => ({
  language,
  locale: localeOf(language),
  messages: await loadMessages(language),
})

export const WordsContext = createContext<Words>({ language: 'en', locale: 'en', messages: en })

export const useWords = () => useContext(WordsContext)
export const useMessages = () => useWords().messages
