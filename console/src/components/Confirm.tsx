import { type ReactNode, useState } from 'react'
import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { Problem } from './Problem.tsx'

interface ConfirmProps {
  title: string
  children: ReactNode
  /** Choices below the sentence. */
  more?: ReactNode
  /** What the button says: the act, not «OK». */
  act: string
  danger?: boolean
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Says what will happen before it does. A failure is shown here, and nothing is lost. */
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
      footer={
        <>
          <Button onClick={onClose}>{controls.cancel}</Button>
          <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={confirm}>
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
