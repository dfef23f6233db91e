import type { ReactNode } from 'react'
import styles from './Empty.module.css'

/** Says why there is nothing, and what to do about it. */
export const Empty = ({ title, children, icon }: { title: string; children?: ReactNode; icon?: ReactNode }) => (
  <div className={styles.empty}>
    {icon}
    <h2>{title}</h2>
    {children && <div className={styles.text}>{children}</div>}
  </div>
)
