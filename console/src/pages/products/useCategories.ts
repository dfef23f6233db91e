import { useQuery } from '@tanstack/react-query'
import { useStore } from '../../api/store.tsx'

const MAX_SHOWN = 1_000

/** The categories of the store by name, as choices. */
export const useCategories = () => {
  const { store, client } = useStore()
  const { data = [] } = useQuery({
    queryKey: [store.id, 'categories', 'all'],
    queryFn: async ({ signal }) => {
      const rows: { id: string; name: string }[] = []
      for await (const row of client.categories.all({ order_by: 'name', order_direction: 'ASC' }, { signal })) {
        rows.push(row)
        if (rows.length === MAX_SHOWN) break
      }
      return rows
    },
    staleTime: 60_000,
  })
  return data
}
