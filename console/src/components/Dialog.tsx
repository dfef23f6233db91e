import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { createPortal } from 'react-dom'
import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import styles from './Dialog.module.css'

interface DialogProps {
  title: string
  onClose: () => void
  children: ReactNode
  /** Buttons, at the end. */
  footer?: ReactNode
  wide?: boolean
  /** Wraps content and footer in a form. */
  onSubmit?: () => void
}

/**
 * The native dialog element: it traps the focus, closes on Escape, and restores the focus. It is rendered outside the page,
 * so that it can be opened from within a form.
 */
export const Dialog = ({ title, onClose, children, footer, wide, onSubmit }: DialogProps) => {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  const { controls } = useMessages()
  useEffect(() => {
    const dialog = ref.current
    if (dialog && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [])
  const content = (
    <>
      <div className={styles.content}>{children}</div>
      {footer && <div className={styles.footer}>{footer}</div>}
    </>
  )
  return createPortal(
    <dialog
      ref={ref}
      className={`${styles.dialog} ${wide ? styles.wide : ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <header className={styles.header}>
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" icon={<X />} aria-label={controls.close} onClick={onClose} />
      </header>
      {onSubmit ? (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            // In React's tree it may be inside another form.
            event.stopPropagation()
            onSubmit()
          }}
        >
          {content}
        </form>
      ) : (
        content
      )}
    </dialog>,
    document.body,
  )
}
