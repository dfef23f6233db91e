import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Empty } from '../../components/Empty.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useMessages, useWords } from '../../messages/messages.ts'
import styles from './Apps.module.css'
import { appPath, appWords, isClient, type StoreApp } from './app.ts'
import { listenToApp } from './bridge.ts'
import { useAppsTitle } from './title.ts'
import { useAppWords } from './words.ts'

/** The page that the browser has loaded: its policy allows one app, and stays when the address changes without loading. */
const loadedPath = () => new URL(performance.getEntriesByType('navigation')[0]?.name ?? location.href).pathname

/** Scripts and forms run, at the app's own address; it can neither move the console nor open it. */
const SANDBOX = 'allow-scripts allow-same-origin allow-forms allow-popups allow-downloads'

const Embedded = ({ app, url }: { app: StoreApp; url: string }) => {
  const words = useAppWords()
  const { store, client } = useStore()
  const { language } = useWords()
  const toast = useToast()
  const [, navigate] = useLocation()
  const frame = useRef<HTMLIFrameElement>(null)
  const { name } = appWords(app, language)
  const origin = new URL(url).origin
  const acts = useRef({ toast, navigate })
  acts.current = { toast, navigate }
  useEffect(
    () =>
      listenToApp({
        frame: frame.current as HTMLIFrameElement,
        origin,
        sessionToken: async () => (await client.apps.createSession(app.client_id)).session_token,
        navigate: (path) => acts.current.navigate(`/s/${store.id}${path}`),
        // With the name of the app, so that it cannot speak for the console.
        toast: (text) => acts.current.toast(words.appSays(name, text)),
      }),
    [app.client_id, client, name, origin, store.id, words],
  )
  return (
    <Surface>
      <iframe
        ref={frame}
        className={styles.frame}
        src={url}
        title={words.frame(name)}
        sandbox={SANDBOX}
        allow=""
        // The app learns which address it is embedded at, and not which page.
        referrerPolicy="origin"
      />
    </Surface>
  )
}

/** Posts a session token to the app, in this tab. It is not in the address, where logs and histories would keep it. */
const Posted = ({ app }: { app: StoreApp }) => {
  const words = useAppWords()
  const { client } = useStore()
  const { language } = useWords()
  const form = useRef<HTMLFormElement>(null)
  const [error, setError] = useState<unknown>()
  const isSent = useRef(false)
  useEffect(() => {
    if (isSent.current) return
    isSent.current = true
    client.apps.createSession(app.client_id).then(({ url, session_token }) => {
      const { current } = form
      if (!current) return
      current.action = url
      ;(current.elements.namedItem('session_token') as HTMLInputElement).value = session_token
      current.submit()
    }, setError)
  }, [app.client_id, client])
  return (
    <Surface padded>
      {error ? <Problem error={error} /> : <p role="status">{words.opening(appWords(app, language).name)}</p>}
      <form ref={form} method="post" hidden>
        <input type="hidden" name="session_token" />
      </form>
    </Surface>
  )
}

const isOurs = (url: string) => new URL(url).origin === location.origin

const Opened = ({ app }: { app: StoreApp }) => {
  const words = useAppWords()
  const { controls } = useMessages()
  const { embed_url: embedded, url } = app
  if (!app.install_id || app.state === 'disabled' || url === '')
    return <Empty title={controls.notFound}>{controls.notFoundHelp}</Empty>
  if (isOurs(embedded ?? url)) return <Empty title={words.frameRefused}>{words.frameRefusedHelp}</Empty>
  return embedded ? <Embedded app={app} url={embedded} /> : <Posted app={app} />
}

/** Shows an app in a frame, or opens it in this tab. */
const OpenAppPage = () => {
  const words = useAppWords()
  const title = useAppsTitle()
  const { store, client } = useStore()
  const { language } = useWords()
  const { client: clientId = '' } = useParams<{ client: string }>()
  const isLoaded = loadedPath() === location.pathname
  useEffect(() => {
    if (!isLoaded) location.reload()
  }, [isLoaded])
  const query = useQuery({ queryKey: [store.id, 'apps'], queryFn: ({ signal }) => client.apps.list({ signal }) })
  const app = query.data?.find(isClient(clientId))
  const name = app ? appWords(app, language).name : title
  return (
    <Page
      title={<bdi>{name}</bdi>}
      name={name}
      back={{ href: app ? appPath(store.id, clientId) : `/s/${store.id}/apps`, label: title }}
    >
      {isLoaded && <Loaded query={query}>{app ? <Opened app={app} /> : <Empty title={words.noneInstalled} />}</Loaded>}
    </Page>
  )
}

export default OpenAppPage
