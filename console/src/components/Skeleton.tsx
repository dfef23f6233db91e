import { useMessages } from '../messages/messages.ts'
import styles from './Skeleton.module.css'

/** Grey lines where text is about to appear. */
export const Skeleton = ({ lines }: { lines: number }) => {
  const { controls } = useMessages()
  return (
    <div className={styles.skeleton} role="status">
      <span className="hidden">{controls.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike.
        <span key={line} className={styles.line} aria-hidden />
      ))}
    </div>
  )
}
