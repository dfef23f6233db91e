import type { ReactNode } from 'react'
import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import styles from './ListPage.module.css'

/** How many rows are selected, and what can be done with them. */
export const SelectionBar = ({
  count,
  onClear,
  children,
}: {
  count: number
  onClear: () => void
  children: ReactNode
}) => {
  const { controls } = useMessages()
  return (
    <section className={styles.bulk} aria-label={controls.selected(count)}>
      <strong>{controls.selected(count)}</strong>
      {children}
      <Button kind="quiet" onClick={onClear}>
        {controls.clearSelection}
      </Button>
    </section>
  )
}
