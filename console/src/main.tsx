import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { App, SignedIn } from './App.tsx'
import { base } from './base-url.ts'
import { ToastProvider } from './components/Toast.tsx'
import { askBeforeLeaving } from './components/useUnsaved.ts'
import { dateFormat } from './messages/formats.ts'
import { loadWords, type Words } from './messages/messages.ts'
import { queries } from './queries.ts'
import { browserLanguage, LookProvider, meQuery, readLook } from './session.tsx'
import './styles/tokens.css'
import './styles/base.css'

/** After this time the page is drawn without what has not arrived. It then shows what is loading, or what went wrong. */
const MAX_WAIT_MS = 2_000

const waitAtMost = (ms: number, work: Promise<unknown>) =>
  Promise.race([work.catch(() => {}), new Promise((resolve) => setTimeout(resolve, ms))])

/** The first date that a browser formats takes it long: better while it waits for replies than when these are drawn. */
const prepareDates = ({ locale }: Words) => {
  const whenIdle = globalThis.requestIdleCallback ?? setTimeout
  whenIdle(() => dateFormat(locale).format())
}

/** Everything that the first page needs is loaded side by side, and drawn once. */
const start = async () => {
  const { known, language = browserLanguage() } = readLook()
  // Behind the sign-in, most likely.
  const page = known && SignedIn.preload().then(({ preload }) => preload())
  const loading = loadWords(language).catch(() => loadWords('en'))
  if (known) loading.then(prepareDates)
  const [words] = await Promise.all([
    loading,
    waitAtMost(MAX_WAIT_MS, Promise.all([queries.prefetchQuery(meQuery), page])),
  ])
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <LookProvider initial={words}>
          <Router base={base} aroundNav={askBeforeLeaving}>
            <ToastProvider>
              <App />
            </ToastProvider>
          </Router>
        </LookProvider>
      </QueryClientProvider>
    </StrictMode>,
  )
}
start()
