import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ConsoleError, consoleApi, type Me, type SignInStage, whenSessionEnds } from '../api/console.ts'
import { useMessages } from '../messages/messages.ts'
import { leave, ME, tellTabs, useSession, whenTabsTell } from '../session.tsx'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { TextField } from './Field.tsx'
import { loadable } from './loadable.tsx'
import { Problem } from './Problem.tsx'
import { useForm } from './useForm.ts'
import { hasUnsaved } from './useUnsaved.ts'

const GiveSecondFactor = loadable(() => import('./GiveSecondFactor.tsx'))

/** Calls that wait for the sign-in. */
interface Waiting {
  promise: Promise<void>
  goOn: () => void
  fail: (error: unknown) => void
}

const startWaiting = (): Waiting => {
  let goOn = () => {}
  let fail: Waiting['fail'] = () => {}
  const promise = new Promise<void>((resolve, reject) => {
    goOn = resolve
    fail = reject
  })
  // Nobody may be waiting.
  promise.catch(() => {})
  return { promise, goOn, fail }
}

interface SignInDialogProps {
  isCovered: boolean
  onDone: () => void
  onClose: () => void
}

const SecondFactorDialog = ({ isCovered, onDone, onClose }: SignInDialogProps) => {
  const { account: words } = useMessages()
  return (
    <Dialog title={words.giveTitle} isCovering={isCovered} onClose={isCovered ? leave : onClose}>
      <GiveSecondFactor onDone={onDone} />
    </Dialog>
  )
}

const SignInDialog = ({
  isCovered,
  onDone,
  onClose,
  onSecondFactor,
}: SignInDialogProps & { onSecondFactor: () => void }) => {
  const { account: words, controls } = useMessages()
  const { account } = useSession()
  let pending: Me['pending'] = null
  const form = useForm({ password: '' }, async (_changes, { password }) => {
    pending = (await consoleApi.signIn({ email: account.email, password })).pending
  })
  const submit = async () => {
    if (!(await form.submit())) return
    if (pending === 'verify') onSecondFactor()
    else onDone()
  }
  return (
    <Dialog
      title={words.signInAgain}
      isCovering={isCovered}
      onClose={isCovered ? leave : onClose}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={isCovered ? leave : onClose}>{isCovered ? words.leave : controls.cancel}</Button>
          <Button kind="primary" type="submit" busy={form.busy}>
            {words.signIn}
          </Button>
        </>
      }
    >
      <p>{words.signInAgainHelp}</p>
      <TextField label={words.email} type="email" autoComplete="username" dir="ltr" value={account.email} readOnly />
      <TextField
        label={words.password}
        type="password"
        autoComplete="current-password"
        dir="ltr"
        {...form.field('password')}
      />
      <Problem error={form.error} shown={['password']} />
    </Dialog>
  )
}

/**
 * When the session has ended, asks for the password over the page; then the interrupted calls go on, and nothing that was
 * typed is lost. After a sign-out in another tab this one is left at once, or covered if it has unsaved input.
 */
export const SignInAgain = () => {
  const queries = useQueryClient()
  const { account } = useSession()
  const waiting = useRef<Waiting>(undefined)
  const [asking, setAsking] = useState<'over' | 'covering'>()
  const [stage, setStage] = useState<SignInStage>('password')

  useEffect(() => {
    const goOn = () => {
      waiting.current?.goOn()
      waiting.current = undefined
      setAsking(undefined)
    }
    const ask = (stage: SignInStage) => {
      if (!waiting.current) setStage(stage)
      waiting.current ??= startWaiting()
      setAsking((asking) => asking ?? 'over')
      return waiting.current.promise
    }
    /** Another person may have signed in there. */
    const checkAccount = async () => {
      whenSessionEnds(undefined)
      const me = await consoleApi.me().catch(() => undefined)
      whenSessionEnds(ask)
      if (me?.account.id === account.id && me.pending !== 'verify') goOn()
      else if (me?.account.id === account.id) setStage('second-factor')
      else if (me) location.reload()
    }
    whenSessionEnds(ask)
    const stopHearing = whenTabsTell((message) => {
      if (message === 'signed-in') return checkAccount()
      if (!hasUnsaved()) return leave()
      waiting.current ??= startWaiting()
      setStage('password')
      setAsking('covering')
    })
    return () => {
      whenSessionEnds(undefined)
      stopHearing()
    }
  }, [account.id])

  if (!asking) return null
  const given = {
    isCovered: asking === 'covering',
    onDone: () => {
      waiting.current?.goOn()
      waiting.current = undefined
      setAsking(undefined)
      tellTabs('signed-in')
      queries.invalidateQueries({ queryKey: ME })
    },
    onClose: () => {
      waiting.current?.fail(new ConsoleError(401, { code: 'sign_in_required', message: '' }))
      waiting.current = undefined
      setAsking(undefined)
    },
  }
  return stage === 'second-factor' ? (
    <SecondFactorDialog {...given} />
  ) : (
    <SignInDialog {...given} onSecondFactor={() => setStage('second-factor')} />
  )
}
