import { useIsFetching } from '@tanstack/react-query'
import styles from './Waiting.module.css'

/** A line at the head of the window: something was asked for, and has not come yet. */
export const Waiting = () => <div className={styles.line} aria-hidden data-waiting />

/** The line, while anything is read for the first time: a page, a filter, or what a dialog needs before it opens. */
export const Reading = () => {
  const count = useIsFetching({ predicate: ({ state }) => state.data === undefined })
  return count > 0 && <Waiting />
}
