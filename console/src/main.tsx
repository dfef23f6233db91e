import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { ApiError } from '../../client/src/errors.ts'
import { App } from './App.tsx'
import { ConsoleError, whenSessionEnds } from './api/console.ts'
import { base } from './base-url.ts'
import { ToastProvider } from './components/Toast.tsx'
import { askBeforeLeaving } from './components/useUnsaved.ts'
import { LookProvider, ME, readLook } from './session.tsx'
import './styles/tokens.css'
import './styles/base.css'

const isRefusal = (error: unknown) =>
  (error instanceof ApiError || error instanceof ConsoleError) && error.status < 500 && error.status !== 429

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) => !isRefusal(error) && count < 3,
      staleTime: 5_000,
      // Structural sharing would merge new data into old objects and lose the version that `ifMatch` sends.
      structuralSharing: false,
    },
  },
})

// Shows the sign-in page, which returns here afterwards.
whenSessionEnds(() => queries.setQueryData(ME, null))

// Most likely it will be needed: load it while the session is being checked.
if (readLook().known) import('./SignedIn.tsx')

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <LookProvider>
        <Router base={base} aroundNav={askBeforeLeaving}>
          <ToastProvider>
            <App />
          </ToastProvider>
        </Router>
      </LookProvider>
    </QueryClientProvider>
  </StrictMode>,
)
