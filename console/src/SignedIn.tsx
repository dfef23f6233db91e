import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Redirect, Route, Switch, useParams, useSearch } from 'wouter'
import { consoleApi, type Me, type StoreInfo } from './api/console.ts'
import { openStore, StoreContext, storeClient } from './api/store.tsx'
import { base } from './base-url.ts'
import { Empty } from './components/Empty.tsx'
import { lastStore, Shell } from './components/Shell.tsx'
import { useMessages } from './messages/messages.ts'
import { preloadPage, STORE_PAGES } from './routes.tsx'
import { SessionProvider, useSession } from './session.tsx'

const AccountPage = lazy(() => import('./pages/account/AccountPage.tsx'))

const NotFound = () => {
  const { controls } = useMessages()
  return (
    <Empty isPage title={controls.notFound}>
      {controls.notFoundHelp}
    </Empty>
  )
}

const Allowed = ({
  permission,
  can,
  children,
}: {
  permission?: string | undefined
  can: (permission: string) => boolean
  children: ReactNode
}) => {
  const { controls } = useMessages()
  if (!permission || can(permission)) return children
  return (
    <Empty isPage title={controls.noPermission}>
      {controls.noPermissionHelp(permission)}
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
  if (store === undefined) return null
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
        <Suspense>
          <Switch>
            {STORE_PAGES.map(({ path, page: Page, permission }) => (
              <Route key={path} path={`/s/${store.id}${path}`}>
                <Allowed permission={permission} can={open.can}>
                  <Page />
                </Allowed>
              </Route>
            ))}
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </Suspense>
      </Shell>
    </StoreContext>
  )
}

const Start = () => {
  const { shell } = useMessages()
  const { stores } = useSession()
  const last = stores.find(({ id }) => id === lastStore()) ?? stores[0]
  if (last) return <Redirect to={`/s/${last.id}`} replace />
  return (
    <Shell>
      <Empty isPage title={shell.noStores}>
        {shell.noStoresHelp}
      </Empty>
    </Shell>
  )
}

const Pages = () => (
  <Switch>
    <Route path="/s/:store/*?">
      <StoreRoutes />
    </Route>
    <Route path="/me">
      <AccountShell />
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

const AccountShell = () => {
  const { stores } = useSession()
  return (
    <Shell store={stores.find(({ id }) => id === lastStore()) ?? stores[0]}>
      <Suspense>
        <AccountPage />
      </Suspense>
    </Shell>
  )
}

/** Back to the page that asked to sign in; only ever one of the console. */
const Next = () => {
  const next = new URLSearchParams(useSearch()).get('next') ?? '/'
  return <Redirect to={/^\/(?!\/)/.test(next) ? next : '/'} replace />
}

/** Fetches what the address needs while the session is still being checked: a token of the store, and the page's code. */
const preload = () => {
  const [, store, path = ''] = /^\/s\/([^/]+)(\/.*)?$/.exec(location.pathname.slice(base.length)) ?? []
  if (!store) return
  storeClient(store)
  preloadPage(path)
}
preload()

/** Everything behind the sign-in. */
const SignedIn = ({ me }: { me: Me }) => (
  <SessionProvider value={me}>
    <Pages />
  </SessionProvider>
)

export default SignedIn
