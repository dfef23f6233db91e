import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import styles from './Button.module.css'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  /** Waits for a reply: cannot be pressed again. */
  busy?: boolean
  icon?: ReactNode
  ref?: Ref<HTMLButtonElement>
}

export const Button = ({ kind = 'plain', busy, icon, children, type = 'button', ...rest }: ButtonProps) => (
  <button
    {...rest}
    type={type}
    className={`${styles.button} ${styles[kind]} ${children === undefined ? styles.square : ''}`}
    disabled={rest.disabled || busy}
    aria-busy={busy || undefined}
  >
    {icon}
    {children !== undefined && <span>{children}</span>}
  </button>
)
