import type { AnchorHTMLAttributes, ReactNode } from 'react'
import styles from './Button.module.css'

interface LinkButtonProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  href: string
  kind?: 'primary' | 'plain'
  icon?: ReactNode
}

/** A link that looks like a button, and loads a page: its address includes the base. */
export const LinkButton = ({ kind = 'plain', icon, children, ...rest }: LinkButtonProps) => (
  <a {...rest} className={`${styles.button} ${styles[kind]}`}>
    {icon}
    <span>{children}</span>
  </a>
)
