import { X } from 'lucide-react'
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { useMessages } from '../messages/messages.ts'
import { Button, SendingContext } from './Button.tsx'
import styles from './Dialog.module.css'
import { usePending } from './usePending.ts'

interface DialogProps {
  title: string
  onClose: () => void
  children: ReactNode
  /** Buttons, at the end. */
  footer?: ReactNode
  wide?: boolean
  /** Hides the page behind it. */
  isCovering?: boolean
  /** Wraps content and footer in a form. While a promise that it returns is open, the form cannot be sent again. */
  onSubmit?: () => unknown
}

/** What is filled in first; without a field, the button that is named or that submits. */
const FIRST = [
  'input:not([disabled], [readonly], [type=hidden], [type=file]), select:not([disabled]), textarea:not([disabled])',
  '[data-focus]',
  'button[type=submit]:not([disabled])',
]

/**
 * The native dialog element: it traps the focus, closes on Escape, and Enter submits it. The first field has the focus, and
 * what had it before gets it back. It is rendered outside the page, so that it can be opened from within a form.
 */
export const Dialog = ({ title, onClose, children, footer, wide, isCovering, onSubmit }: DialogProps) => {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  const { controls } = useMessages()
  const { isPending, run } = usePending()
  useLayoutEffect(() => {
    const dialog = ref.current as HTMLDialogElement
    const before = document.activeElement as HTMLElement
    if (!dialog.open) dialog.showModal()
    const first = FIRST.map((selector) => dialog.querySelector<HTMLElement>(selector)).find((found) => found !== null)
    first?.focus()
    return () => {
      dialog.close()
      // The row that opened it may be gone: then the page's heading.
      const back = before.isConnected && before !== document.body ? before : document.querySelector('h1')
      back?.focus({ preventScroll: true })
    }
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
      className={`${styles.dialog} ${wide ? styles.wide : ''} ${isCovering ? styles.covering : ''}`}
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
            run(onSubmit)
          }}
        >
          <SendingContext value={isPending}>{content}</SendingContext>
        </form>
      ) : (
        content
      )}
    </dialog>,
    document.body,
  )
}
