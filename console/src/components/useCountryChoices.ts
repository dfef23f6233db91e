import { useQuery } from '@tanstack/react-query'
import { useStore } from '../api/store.tsx'
import { useWords } from '../messages/messages.ts'
import { countryName } from '../messages/names.ts'

/** The countries by name, as choices of a field. `none` is what the choice of no country is called. */
export const useCountryChoices = (none: string) => {
  const { locale } = useWords()
  const { store, client } = useStore()
  const { data: countries = [] } = useQuery({
    queryKey: [store.id, 'countries'],
    queryFn: ({ signal }) => client.countries.list({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return [
    { value: '', label: none },
    ...countries
      .map((country) => ({ value: country.id, label: countryName(locale, country) }))
      .sort((one, other) => one.label.localeCompare(other.label, locale)),
  ]
}
