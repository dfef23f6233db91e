import styles from './PageSkeleton.module.css'
import { Skeleton } from './Skeleton.tsx'

/** Grey lines, while the code or the words of a page are on their way. */
export const PageSkeleton = () => (
  <div className={styles.page}>
    <Skeleton lines={8} />
  </div>
)
