import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../../client/src/errors.ts'
import { ConsoleError } from './api/console.ts'

const isRefusal = (error: unknown) =>
  (error instanceof ApiError || error instanceof ConsoleError) && error.status < 500 && error.status !== 429

/** What has been read, by operation and parameters. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) => !isRefusal(error) && count < 3,
      staleTime: 5_000,
      // Structural sharing would merge new data into old objects and lose the version that `ifMatch` sends.
      structuralSharing: false,
    },
  },
})
