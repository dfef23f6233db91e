import type { ReactNode } from 'react'
import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { SaveProblem } from './SaveProblem.tsx'

interface FormDialogProps {
  title: string
  /** What the button says. */
  act: string
  form: { error: unknown; busy: boolean; submit: () => Promise<boolean> }
  /** Fields that show their errors themselves. */
  shown: readonly string[]
  /** After it was saved. */
  onDone: () => unknown
  onClose: () => void
  /** Loads the newest version after a conflict. */
  onReload?: () => unknown
  wide?: boolean
  /** What is done cannot be taken back. */
  isDestructive?: boolean
  children: ReactNode
}

/** A form in a dialog. Closes after saving, and keeps the input if saving fails. */
export const FormDialog = (props: FormDialogProps) => {
  const {
    title,
    act,
    form,
    shown,
    onDone,
    onClose,
    onReload = onClose,
    wide = false,
    isDestructive = false,
    children,
  } = props
  const { controls } = useMessages()
  const submit = async () => {
    if (!(await form.submit())) return
    await onDone()
    onClose()
  }
  return (
    <Dialog
      title={title}
      wide={wide}
      onClose={onClose}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={onClose}>{controls.cancel}</Button>
          <Button kind={isDestructive ? 'danger' : 'primary'} type="submit" busy={form.busy}>
            {act}
          </Button>
        </>
      }
    >
      {children}
      <SaveProblem error={form.error} shown={shown} onReload={onReload} />
    </Dialog>
  )
}
