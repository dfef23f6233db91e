import { useQueryClient } from '@tanstack/react-query'
import { type Client, useStore } from '../../api/store.tsx'
import { useForm } from '../../components/useForm.ts'
import { ME } from '../../session.tsx'

export type Settings = Awaited<ReturnType<Client['setting']['getSettings']>>
type Changes = Parameters<Client['setting']['updateSettings']>[0]

/** A form for some of the settings. Whoever has saved others meanwhile keeps theirs. */
export const useSettingsForm = <Values extends object>(
  settings: Settings,
  valuesOf: (settings: Settings) => Values,
  bodyOf: (changes: Partial<Values>, values: Values) => Changes,
) => {
  const { store, client } = useStore()
  const queries = useQueryClient()
  return useForm(
    valuesOf(settings),
    async (changes, values, newest: Settings | undefined) => {
      const saved = await client.setting.updateSettings(bodyOf(changes, values), { ifMatch: newest ?? settings })
      queries.setQueryData([store.id, 'settings'], saved)
      // The name, the currency and the time zone are shown everywhere, and orders follow the rules.
      await Promise.all([
        queries.invalidateQueries({ queryKey: ME }),
        queries.invalidateQueries({ queryKey: [store.id, 'orders'] }),
      ])
    },
    { read: () => client.setting.getSettings(), valuesOf },
  )
}
