import { type ComponentType, createElement, useEffect, useState } from 'react'
import { PageSkeleton } from '../components/PageSkeleton.tsx'
import type { Language, Widen } from './messages.ts'
import { useWords } from './messages.ts'

/**
 * Messages of pages that most people never open. They are loaded with these pages, so that everybody else's language stays
 * small. English is the type, as in `messages.ts`.
 */
export const area = <English extends object>(load: {
  en: () => Promise<{ default: English }>
  fr: () => Promise<{ default: Widen<English> }>
  ar: () => Promise<{ default: Widen<English> }>
}) => {
  const loaded: { [Name in Language]?: Widen<English> } = {}
  const get = async (language: Language) => {
    loaded[language] ??= (await load[language]()).default as Widen<English>
  }
  const useArea = () => {
    const { language } = useWords()
    return loaded[language] as Widen<English>
  }
  /** Draws the page when its messages are there. */
  const withArea = (Page: ComponentType) => () => {
    const { language } = useWords()
    const [, setReady] = useState<Language>()
    useEffect(() => {
      if (!loaded[language]) get(language).then(() => setReady(language))
    }, [language])
    return createElement(loaded[language] ? Page : PageSkeleton)
  }
  return { useArea, withArea }
}
