import { useQuery } from '@tanstack/react-query'
import { useStore } from '../../api/store.tsx'
import { isLanguage, useWords } from '../../messages/messages.ts'

export const useSettings = () => {
  const { store, client, can } = useStore()
  return useQuery({
    queryKey: [store.id, 'settings'],
    enabled: can('setting:view'),
    queryFn: ({ signal }) => client.setting.getSettings({ signal }),
  })
}

/** The language of the store if the console has a template in it, else the reader's. */
export const useTemplateLanguage = () => {
  const { language } = useWords()
  const [tag] = useSettings().data?.language.split('-') ?? []
  return tag && isLanguage(tag) ? tag : language
}
