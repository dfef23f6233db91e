import { type ReactNode, useState } from 'react'
import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { Problem } from './Problem.tsx'

interface ConfirmProps {
  title: string
  children: ReactNode
  /** Shown below the question. */
  more?: ReactNode
  /** Label of the button: the action, not «OK». */
  act: string
  danger?: boolean
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Asks before an action, and shows its error if it fails. */
export const Confirm = ({ title, children, more, act, danger, onConfirm, onClose }: ConfirmProps) => {
  const { controls } = useMessages()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const confirm = async () => {
    setBusy(true)
    try {
      await onConfirm()
      onClose()
    } catch (error) {
      setError(error)
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={confirm}
      footer={
        <>
          <Button onClick={onClose} {...(danger && { 'data-focus': true })}>
            {controls.cancel}
          </Button>
          <Button kind={danger ? 'danger' : 'primary'} type="submit" busy={busy}>
            {act}
          </Button>
        </>
      }
    >
      <p>{children}</p>
      {more}
      <Problem error={error} />
    </Dialog>
  )
}
