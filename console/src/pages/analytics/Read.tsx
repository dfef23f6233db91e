import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Client, useStore } from '../../api/store.tsx'
import { Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import styles from './Analytics.module.css'
import type { Period } from './period.ts'

const REFETCH_MS = 60_000

interface Span {
  from: string
  to: string
  interval: Period['interval']
}

/** The figures of the period and of the one before. */
export const useBoth = <Answer,>(
  name: string,
  period: Period,
  read: (client: Client, span: Span, signal: AbortSignal) => Promise<Answer>,
) => {
  const { store, client } = useStore()
  const { from, to, interval, earlier } = period
  return useQuery({
    queryKey: [store.id, 'analytic', name, from, to, interval],
    queryFn: async ({ signal }) => {
      const [now, before] = await Promise.all([
        read(client, { from, to, interval }, signal),
        read(client, { ...earlier, interval }, signal),
      ])
      return { now, before }
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  })
}

export const Read = <Answer,>({
  query,
  children,
}: {
  query: { data: Answer | undefined; error: unknown; isPlaceholderData: boolean }
  children: (data: Answer) => ReactNode
}) => {
  // Until the figures of another period are there, those of the one before are shown, and look like it.
  if (query.data)
    return (
      <div className={styles.figures} aria-busy={query.isPlaceholderData || undefined}>
        {children(query.data)}
      </div>
    )
  return <Surface padded>{query.error ? <Problem error={query.error} /> : <Skeleton lines={10} />}</Surface>
}
