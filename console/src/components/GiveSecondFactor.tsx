import { useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { canUsePasskeys, secondFactorApi } from '../api/second-factor.ts'
import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import { TextField } from './Field.tsx'
import styles from './GiveSecondFactor.module.css'
import { Problem } from './Problem.tsx'
import { useForm } from './useForm.ts'

/** Whatever the browser says when nobody touched the key, or there is none. */
const isRefusal = (error: unknown) => error instanceof DOMException

/** Asks for a code of the authenticator app or a recovery code, or for a passkey. */
const GiveSecondFactor = ({ onDone }: { onDone: () => unknown }) => {
  const { account: words } = useMessages()
  const queries = useQueryClient()
  // Less is told before it was given, so this is not what the page of the account shows.
  const { data } = useQuery({ queryKey: ['second-factor', 'kinds'], queryFn: secondFactorApi.read })
  const goOn = async () => {
    queries.invalidateQueries({ queryKey: ['second-factor'] })
    await onDone()
  }
  const form = useForm({ code: '' }, (_changes, { code }) => secondFactorApi.giveCode(code))
  const [error, setError] = useState<unknown>()
  const [isAsking, setAsking] = useState(false)
  const givePasskey = async () => {
    setAsking(true)
    setError(undefined)
    try {
      await secondFactorApi.givePasskey()
      await goOn()
    } catch (error) {
      setError(isRefusal(error) ? new Error(words.noPasskey) : error)
    }
    setAsking(false)
  }
  return (
    <div className={styles.ways}>
      {data?.has_passkey && canUsePasskeys() && (
        <>
          <Button kind="primary" icon={<KeyRound />} busy={isAsking} onClick={givePasskey}>
            {words.usePasskey}
          </Button>
          <Problem error={error} />
        </>
      )}
      <form
        noValidate
        className={styles.ways}
        onSubmit={async (event) => {
          event.preventDefault()
          event.stopPropagation()
          if (await form.submit()) await goOn()
        }}
      >
        <TextField
          label={words.code}
          help={words.codeHelp}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          dir="ltr"
          required
          autoFocus
          {...form.field('code')}
        />
        <Problem error={form.error} shown={['code']} />
        <Button kind={data?.has_passkey ? 'plain' : 'primary'} type="submit" busy={form.busy}>
          {words.confirm}
        </Button>
      </form>
    </div>
  )
}

export default GiveSecondFactor
