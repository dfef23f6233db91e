import { useQuery } from '@tanstack/react-query'
import { useStore } from '../../api/store.tsx'

export const useSettings = () => {
  const { store, client, can } = useStore()
  return useQuery({
    queryKey: [store.id, 'settings'],
    enabled: can('setting:view'),
    queryFn: ({ signal }) => client.setting.getSettings({ signal }),
  })
}
