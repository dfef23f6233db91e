import { isLanguage, useWords } from '../../messages/messages.ts'
import { useSettings } from '../orders/useSettings.ts'

/** The language of the store if the console has a template in it, else the reader's. */
export const useTemplateLanguage = () => {
  const { language } = useWords()
  const [tag] = useSettings().data?.language.split('-') ?? []
  return tag && isLanguage(tag) ? tag : language
}
