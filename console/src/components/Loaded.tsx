import type { ReactNode } from 'react'
import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import styles from './Loaded.module.css'
import { Problem } from './Problem.tsx'
import { Skeleton } from './Skeleton.tsx'

interface LoadedProps {
  /** What useQuery or useInfiniteQuery returned. */
  query: { data: unknown; error: unknown; isPending: boolean; refetch: () => unknown }
  children: ReactNode
}

/** Shows its content once there is data; before that, grey lines in its place, or an error with a retry button. */
export const Loaded = ({ query: { data, error, isPending, refetch }, children }: LoadedProps) => {
  const { controls } = useMessages()
  if (error && !data)
    return (
      <div className={styles.state}>
        <Problem error={error} />
        <Button onClick={() => refetch()}>{controls.retry}</Button>
      </div>
    )
  if (!isPending) return children
  return (
    <div className={styles.waiting}>
      <Skeleton lines={6} />
    </div>
  )
}
