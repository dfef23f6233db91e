import { useQuery } from '@tanstack/react-query'
import { useStore } from '../../api/store.tsx'

const MAX_METHODS = 200

/** The active payment methods of the store. */
export const usePaymentMethods = () => {
  const { store, client, can } = useStore()
  const { data = [] } = useQuery({
    queryKey: [store.id, 'payment-methods', 'active'],
    enabled: can('payment_method:view'),
    queryFn: async ({ signal }) => {
      const { payment_methods } = await client.payment_methods.list({ page_size: MAX_METHODS }, { signal })
      return payment_methods.filter(({ status }) => status === 'active')
    },
  })
  return data
}
