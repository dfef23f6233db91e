import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'

type Changes = Record<string, string | undefined>

export const withChanges = (search: string, changes: Changes) => {
  const params = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') params.delete(name)
    else params.set(name, value)
  }
  return params.toString()
}

/**
 * The URL holds the state of a list: filters, sort, page and columns. «Back» and a copied link show the same rows. Changing
 * a filter returns to the first page.
 */
export const useAddress = () => {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const params = useMemo(() => new URLSearchParams(search), [search])
  const change = useCallback(
    (changes: Changes, { replace = false } = {}) => {
      const next = withChanges(search, { cursor: undefined, at: undefined, ...changes })
      navigate(next ? `${path}?${next}` : path, { replace })
    },
    [search, path, navigate],
  )
  return { search, params, path, change, navigate }
}
