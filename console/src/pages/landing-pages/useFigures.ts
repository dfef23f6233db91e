import { useQuery } from '@tanstack/react-query'
import { useStore } from '../../api/store.tsx'

const DAY_MS = 86_400_000

/** Orders and sales of landing pages in the last year, by id. Undefined without the permission to see them. */
export const useFigures = () => {
  const { store, client, can } = useStore()
  const { data } = useQuery({
    queryKey: [store.id, 'analytic', 'landing-pages'],
    enabled: can('analytic:view'),
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - 364 * DAY_MS).toISOString().slice(0, 10)
      return client.analytic.getLandingPageAnalytics({ from, interval: 'month', limit: 200 }, { signal })
    },
    staleTime: 60_000,
  })
  return data && new Map(data.landing_pages.map((figures) => [figures.landing_page_id, figures]))
}
