import { useQuery } from '@tanstack/react-query'
import { useStore } from '../../api/store.tsx'
import { useOrderWords } from './words.ts'

/** The active carriers of the store, as choices. */
export const useCarriers = () => {
  const words = useOrderWords()
  const { store, client } = useStore()
  const { data = [] } = useQuery({
    queryKey: [store.id, 'carriers'],
    queryFn: ({ signal }) => client.carriers.list({}, { signal }),
    staleTime: 300_000,
  })
  return [{ value: '', label: words.noCarrier }, ...data.map(({ id, name }) => ({ value: id, label: name }))]
}
