import { type ButtonHTMLAttributes, createContext, type MouseEvent, type ReactNode, type Ref, useContext } from 'react'
import styles from './Button.module.css'
import { usePending } from './usePending.ts'

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'onClick'> {
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  /** Waits for a reply: cannot be pressed again. */
  busy?: boolean
  /** If it returns a promise, the button is busy until that is settled. */
  onClick?: (event: MouseEvent<HTMLButtonElement>) => unknown
  icon?: ReactNode
  ref?: Ref<HTMLButtonElement>
}

/** Whether the form around a button is being sent. */
export const SendingContext = createContext(false)

/** A busy button keeps the focus, which `disabled` would take from it. */
export const Button = (props: ButtonProps) => {
  const { kind = 'plain', busy = false, icon, children, type = 'button', onClick, ...rest } = props
  const { isPending, run } = usePending()
  const isSending = useContext(SendingContext)
  const isBusy = busy || isPending || (type === 'submit' && isSending) || rest['aria-busy'] === true
  return (
    <button
      {...rest}
      type={type}
      className={`${styles.button} ${styles[kind]} ${children === undefined ? styles.square : ''}`}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || undefined}
      onClick={(event) => {
        if (isBusy) event.preventDefault()
        else run(() => onClick?.(event))
      }}
    >
      {icon}
      {children !== undefined && <span>{children}</span>}
    </button>
  )
}
