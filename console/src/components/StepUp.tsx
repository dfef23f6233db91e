import { useState } from 'react'
import { ConsoleError, consoleApi } from '../api/console.ts'
import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { TextField } from './Field.tsx'
import { Problem } from './Problem.tsx'
import { useForm } from './useForm.ts'

/** Asks for the password again, then does what needed it. */
export const StepUp = ({ onDone, onClose }: { onDone: () => Promise<unknown>; onClose: () => void }) => {
  const { account: words, controls } = useMessages()
  const form = useForm({ password: '' }, async (_changes, { password }) => {
    await consoleApi.confirm(password)
    await onDone()
  })
  return (
    <Dialog
      title={words.confirmTitle}
      onClose={onClose}
      onSubmit={async () => (await form.submit()) && onClose()}
      footer={
        <>
          <Button onClick={onClose}>{controls.cancel}</Button>
          <Button kind="primary" type="submit" busy={form.busy}>
            {words.confirm}
          </Button>
        </>
      }
    >
      <p>{words.confirmHelp}</p>
      <Problem error={form.error} shown={['password']} />
      <TextField
        label={words.password}
        type="password"
        autoComplete="current-password"
        dir="ltr"
        {...form.field('password')}
      />
    </Dialog>
  )
}

/** Runs actions that may need the password again: asks for it, then repeats the action. */
export const useStepUp = () => {
  const [waiting, setWaiting] = useState<{
    act: () => Promise<unknown>
    give: () => void
    fail: (error: unknown) => void
  }>()
  const run = async (act: () => Promise<unknown>) => {
    try {
      await act()
    } catch (error) {
      if (!(error instanceof ConsoleError && error.code === 'confirmation_required')) throw error
      await new Promise<void>((give, fail) => setWaiting({ act, give, fail: (reason) => fail(reason ?? error) }))
    }
  }
  const dialog = waiting && (
    <StepUp
      onDone={async () => {
        // An error of the action is reported to its caller, not in the password dialog.
        await waiting.act().then(waiting.give, waiting.fail)
      }}
      onClose={() => {
        // No effect if the action has already run.
        waiting.fail(undefined)
        setWaiting(undefined)
      }}
    />
  )
  return { run, dialog }
}
