import type { ReactNode } from 'react'
import styles from './Badge.module.css'

export type Tone = 'good' | 'warn' | 'bad' | 'plain' | 'accent'

export const Badge = ({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) => (
  <span className={`${styles.badge} ${styles[tone]}`}>{children}</span>
)
