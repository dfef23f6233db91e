import styles from './PageSkeleton.module.css'
import { Skeleton } from './Skeleton.tsx'

/** A heading and a list in grey, while the code or the words of a page are on their way. */
export const PageSkeleton = () => (
  <div className={styles.page}>
    <div className={styles.title} aria-hidden />
    <div className={styles.surface}>
      <Skeleton lines={8} />
    </div>
  </div>
)
