import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import {
  type Account,
  askForSecondFactor,
  ConsoleError,
  consoleApi,
  type Me,
  whenSecondFactorIsMissing,
} from './api/console.ts'
import { base } from './base-url.ts'
import { isLanguage, type Language, loadWords, type Words, WordsContext } from './messages/messages.ts'
import { queries } from './queries.ts'

const SessionContext = createContext<Me | undefined>(undefined)

export const useSession = (): Me => {
  const me = useContext(SessionContext)
  if (!me) throw new Error('useSession() is for pages behind the sign-in.')
  return me
}

export const SessionProvider = SessionContext.Provider

export const ME = ['me']

/** Who is signed in; null for nobody. */
export const meQuery = queryOptions({
  queryKey: ME,
  queryFn: async () => {
    // Without a session, requests that would be refused are not sent.
    if (!readLook().known && !(await consoleApi.state()).signed_in) return null
    const opened = queries.getQueryData<Me | null>(ME)
    const me = await consoleApi.me().catch((error) => {
      // A page that is open stays: what was typed there is not lost.
      if (error instanceof ConsoleError && error.status === 401 && !opened) return null
      throw error
    })
    return me?.pending === 'verify' && opened && !opened.pending && askForSecondFactor() ? opened : me
  },
  staleTime: 60_000,
})

whenSecondFactorIsMissing(() => queries.invalidateQueries({ queryKey: ME }))

export const useMe = () => useQuery({ ...meQuery, refetchOnWindowFocus: true })

const LOOK = 'console.look'

interface Look {
  /** Somebody has signed in with this browser, and not out again. */
  known?: boolean
  language?: Language | undefined
  theme?: 'light' | 'dark' | undefined
}

/** Only language and theme are stored in the browser, for the time before anybody signs in. */
export const readLook = (): Look => {
  try {
    return JSON.parse(localStorage.getItem(LOOK) ?? '{}')
  } catch {
    return {}
  }
}

const writeLook = (look: Look) => {
  try {
    localStorage.setItem(LOOK, JSON.stringify(look))
  } catch {
    // Private windows may have no storage; then the server is asked.
  }
}

/** The other tabs of this browser, which share the session. */
const tabs = new BroadcastChannel('console')

type TabMessage = 'signed-in' | 'signed-out'

export const tellTabs = (message: TabMessage) => tabs.postMessage(message)

export const whenTabsTell = (act: (message: TabMessage) => void) => {
  const hear = ({ data }: MessageEvent<TabMessage>) => act(data)
  tabs.addEventListener('message', hear)
  return () => tabs.removeEventListener('message', hear)
}

/** Reloads the page, so that nothing of the session stays in memory. */
export const leave = () => {
  writeLook({ ...readLook(), known: false })
  location.assign(`${base}/sign-in`)
}

export const browserLanguage = (): Language =>
  navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en'

/** Writes only what changes: the browser styles the whole page anew after each of these. */
const applyLook = ({ theme }: Look, language: Language) => {
  const root = document.documentElement
  const dir = language === 'ar' ? 'rtl' : 'ltr'
  if (!theme) delete root.dataset.theme
  else if (root.dataset.theme !== theme) root.dataset.theme = theme
  if (root.lang !== language) root.lang = language
  if (root.dir !== dir) root.dir = dir
}

/** Language, direction and colours: of the account, or of the browser while nobody is signed in. */
export const LookProvider = ({ initial, children }: { initial: Words; children: ReactNode }) => {
  const { data: me } = useMe()
  const kept = readLook()
  const theme = me ? (me.account.theme ?? undefined) : kept.theme
  const chosen = me ? me.account.language : kept.language
  const language = chosen ?? browserLanguage()
  const [words, setWords] = useState(initial)

  useEffect(() => {
    let current = true
    applyLook({ theme }, language)
    if (me === null) writeLook({ ...readLook(), known: false })
    if (me) writeLook({ known: true, theme, ...(me.account.language && { language: me.account.language }) })
    if (words.language !== language)
      loadWords(language).then((words) => {
        if (current) setWords(words)
      })
    return () => {
      current = false
    }
  }, [language, theme, me, words])

  return <WordsContext value={words}>{children}</WordsContext>
}

/** Changes the account's own settings, and shows them at once: before the reply, and as they were if it is a refusal. */
export const useUpdateMe = () => {
  const queries = useQueryClient()
  const show = (account: Partial<Account>) =>
    queries.setQueryData<Me | null>(ME, (me) => me && { ...me, account: { ...me.account, ...account } })
  return async (changes: Partial<Pick<Account, 'name' | 'language' | 'theme'>>) => {
    const before = queries.getQueryData<Me | null>(ME)?.account
    show(changes)
    try {
      show((await consoleApi.updateMe(changes)).account)
    } catch (error) {
      if (before) show(before)
      throw error
    }
  }
}
