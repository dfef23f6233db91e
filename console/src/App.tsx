import { useState } from 'react'
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter'
import { Button } from './components/Button.tsx'
import { Empty } from './components/Empty.tsx'
import { loadable } from './components/loadable.tsx'
import { Problem } from './components/Problem.tsx'
import { Waiting } from './components/Waiting.tsx'
import { useMessages } from './messages/messages.ts'
import { SignInPage } from './pages/account/SignInPage.tsx'
import { WelcomePage } from './pages/account/WelcomePage.tsx'
import { useMe } from './session.tsx'

export const SignedIn = loadable(() => import('./SignedIn.tsx'))
const SecondFactorPage = loadable(() => import('./pages/account/SecondFactorPage.tsx'))

const ToSignIn = () => {
  const [path] = useLocation()
  const search = useSearch()
  const next = search ? `${path}?${search}` : path
  return <Redirect to={next === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ next })}`} replace />
}

export const App = () => {
  const { data: me, error, refetch } = useMe()
  const { controls } = useMessages()
  const [isHeld, hold] = useState(false)
  if (me === undefined)
    return error ? (
      <main>
        <Empty isPage title={controls.failed}>
          <Problem error={error} />
          <Button onClick={() => refetch()}>{controls.retry}</Button>
        </Empty>
      </main>
    ) : (
      <Waiting />
    )
  return (
    <Switch>
      <Route path="/welcome">
        <WelcomePage />
      </Route>
      {me ? (
        <Route>
          {me.pending || isHeld ? <SecondFactorPage pending={me.pending} onHold={hold} /> : <SignedIn me={me} />}
        </Route>
      ) : (
        <Route path="/sign-in">
          <SignInPage />
        </Route>
      )}
      <Route>
        <ToSignIn />
      </Route>
    </Switch>
  )
}
