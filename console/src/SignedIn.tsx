import { useEffect, useState } from 'react'
import { Redirect, Route, Switch, useParams, useSearch } from 'wouter'
import { consoleApi, type Me, type StoreInfo } from './api/console.ts'
import { openStore, StoreContext, storeClient } from './api/store.tsx'
import { base } from './base-url.ts'
import { Empty } from './components/Empty.tsx'
import { listQuery } from './components/list-query.ts'
import { loadablePage } from './components/loadable.tsx'
import { PageSkeleton } from './components/PageSkeleton.tsx'
import { lastStore, Shell } from './components/Shell.tsx'
import { SignInAgain } from './components/SignInAgain.tsx'
import { useMessages } from './messages/messages.ts'
import type { ServicePage, StorePage } from './page-route.ts'
import { queries } from './queries.ts'
import { isAllowed, maySee, pageAt, SERVICE_PAGES, STORE_PAGES, servicePageAt } from './routes.ts'
import { meQuery, SessionProvider, useSession } from './session.tsx'

const ConsentPage = loadablePage(() => import('./pages/consent/ConsentPage.tsx'))

const NotFound = () => {
  const { controls } = useMessages()
  return (
    <Empty isPage title={controls.notFound}>
      {controls.notFoundHelp}
    </Empty>
  )
}

const Allowed = ({ page, can }: { page: StorePage; can: (permission: string) => boolean }) => {
  const { controls } = useMessages()
  const { page: Page, permission, anyOf = [] } = page
  if (isAllowed(page, can)) return <Page />
  return (
    <Empty isPage title={controls.noPermission}>
      {controls.noPermissionHelp(permission ?? anyOf[0] ?? '')}
    </Empty>
  )
}

/** An operator may open more stores than the session lists. */
const useOpenedStore = (id: string): StoreInfo | null | undefined => {
  const { stores } = useSession()
  const known = stores.find((store) => store.id === id)
  const [found, setFound] = useState<StoreInfo | null>()
  useEffect(() => {
    setFound(undefined)
    if (!known)
      consoleApi.stores(id).then(
        ({ stores }) => setFound(stores.find((store) => store.id === id) ?? null),
        () => setFound(null),
      )
  }, [id, known])
  return known ?? found
}

const StoreRoutes = () => {
  const { store: id = '' } = useParams<{ store: string }>()
  const store = useOpenedStore(id)
  if (store === undefined)
    return (
      <Shell>
        <PageSkeleton />
      </Shell>
    )
  if (store === null)
    return (
      <Shell>
        <NotFound />
      </Shell>
    )
  const open = openStore(store)
  return (
    <StoreContext value={open}>
      <Shell store={store}>
        <Switch>
          {STORE_PAGES.map((page) => (
            <Route key={page.path} path={`/s/${store.id}${page.path}`}>
              <Allowed page={page} can={open.can} />
            </Route>
          ))}
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Shell>
    </StoreContext>
  )
}

const Start = () => {
  const { shell } = useMessages()
  const { stores } = useSession()
  const last = stores.find(({ id }) => id === lastStore()) ?? stores[0]
  const firstPage = useFirstPage()
  if (last) return <Redirect to={`/s/${last.id}`} replace />
  if (firstPage) return <Redirect to={firstPage.path} replace />
  return (
    <Shell>
      <Empty isPage title={shell.noStores}>
        {shell.noStoresHelp}
      </Empty>
    </Shell>
  )
}

const ServiceRoute = ({ entry }: { entry: ServicePage }) => {
  const { account, stores } = useSession()
  const { page: Page, who } = entry
  // A page of everybody is opened from a store, and leads back to it.
  const store = who === 'everybody' ? (stores.find(({ id }) => id === lastStore()) ?? stores[0]) : undefined
  return <Shell store={store}>{maySee(entry, account) ? <Page /> : <NotFound />}</Shell>
}

/** A service without a store opens with its first page for this person. */
const useFirstPage = () => {
  const { account } = useSession()
  return SERVICE_PAGES.find((page) => page.navigation && maySee(page, account))
}

const Pages = () => (
  <Switch>
    <Route path="/s/:store/*?">
      <StoreRoutes />
    </Route>
    {SERVICE_PAGES.map((entry) => (
      <Route key={entry.path} path={entry.path}>
        <ServiceRoute entry={entry} />
      </Route>
    ))}
    <Route path="/authorize">
      <ConsentPage />
    </Route>
    <Route path="/sign-in">
      <Next />
    </Route>
    <Route path="/">
      <Start />
    </Route>
    <Route>
      <Shell>
        <NotFound />
      </Shell>
    </Route>
  </Switch>
)

/** Back to the page that asked to sign in; only ever one of the console. */
const Next = () => {
  const next = new URLSearchParams(useSearch()).get('next') ?? '/'
  return <Redirect to={/^\/(?!\/)/.test(next) ? next : '/'} replace />
}

/** A reply that comes within this time is drawn together with the page: to draw twice takes longer. */
const MAX_WAIT_MS = 300

/** Loads what the address needs before anything is drawn: a token of the store, the page's code and its rows. */
export const preload = async () => {
  const address = location.pathname.slice(base.length)
  const [, id, path = ''] = /^\/s\/([^/]+)(\/.*)?$/.exec(address) ?? []
  if (!id) return void (await servicePageAt(address)?.page.preload())
  const client = storeClient(id)
  const opened = pageAt(path)
  const code = opened?.page.preload()
  const me = await queries.ensureQueryData(meQuery).catch(() => null)
  const store = me?.stores.find((store) => store.id === id)
  const rows =
    store && opened?.list && openStore(store).can(opened.permission ?? '')
      ? queries.prefetchQuery(listQuery(opened.list, id, client, new URLSearchParams(location.search)))
      : undefined
  await Promise.all([code, Promise.race([rows, new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))])])
}

/** Everything behind the sign-in. */
const SignedIn = ({ me }: { me: Me }) => (
  <SessionProvider value={me}>
    <Pages />
    <SignInAgain />
  </SessionProvider>
)

export default SignedIn
