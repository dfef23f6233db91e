import type { ReactNode } from 'react'
import styles from './Empty.module.css'

interface EmptyProps {
  title: string
  children?: ReactNode
  icon?: ReactNode
  /** There is nothing else on the page. */
  isPage?: boolean
}

/** Says why there is nothing, and what to do about it. */
export const Empty = ({ title, children, icon, isPage }: EmptyProps) => {
  const Heading = isPage ? 'h1' : 'h2'
  return (
    <div className={styles.empty}>
      {icon}
      <Heading>{title}</Heading>
      {children && <div className={styles.text}>{children}</div>}
    </div>
  )
}
