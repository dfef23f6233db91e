import { useEffect, useRef } from 'react'

type PageKeys = readonly (readonly [key: string, about: string])[]

const shown = new Set<{ readonly current: PageKeys }>()

/** The keys of the pages that are open, for the list of all keys. */
export const pageKeys = (): PageKeys => [...shown].flatMap(({ current }) => current)

/** Lists keys of a page under `?` while it is open. */
export const usePageKeys = (keys: PageKeys) => {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    shown.add(current)
    return () => {
      shown.delete(current)
    }
  }, [])
}
