import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useStore } from '../api/store.tsx'
import { Problem } from './Problem.tsx'

interface NewestProps<T> {
  /** In the cache, apart from the list: `carriers`. */
  name: string
  id: string
  get: (id: string) => Promise<T>
  children: (newest: T) => ReactNode
}

/** Reads a resource again before it is changed or deleted, because rows of a list have no version for `If-Match`. */
export const Newest = <T,>({ name, id, get, children }: NewestProps<T>) => {
  const { store } = useStore()
  const { data, error } = useQuery({
    queryKey: [store.id, 'newest', name, id],
    queryFn: () => get(id),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  if (data) return children(data)
  return <Problem error={error ?? undefined} />
}
