import { type ReactNode, useEffect } from 'react'
import { useMessages } from '../../messages/messages.ts'
import styles from './Entrance.module.css'

/** The frame of the pages before the sign-in. */
export const Entrance = ({ title, children }: { title: string; children: ReactNode }) => {
  const { shell } = useMessages()
  useEffect(() => {
    document.title = `${title} · ${shell.console}`
  }, [title, shell])
  return (
    <main className={styles.entrance}>
      <div className={styles.card}>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}

export const Hint = ({ title, children }: { title?: string; children: ReactNode }) => (
  <div className={styles.hint}>
    {title && <strong>{title}</strong>}
    {children}
  </div>
)
