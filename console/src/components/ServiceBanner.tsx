import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError, ConnectionError } from '../../../client/src/errors.ts'
import { ConsoleError } from '../api/console.ts'
import { useMessages } from '../messages/messages.ts'
import styles from './ServiceBanner.module.css'

const isAway = (error: unknown) =>
  error instanceof ConnectionError ||
  error instanceof TypeError ||
  ((error instanceof ApiError || error instanceof ConsoleError) && error.status >= 500)

/** Shown while the browser is offline or the service does not respond. The page stays readable. */
export const ServiceBanner = () => {
  const { controls } = useMessages()
  const queries = useQueryClient()
  const [online, setOnline] = useState(navigator.onLine)
  const [away, setAway] = useState(false)
  useEffect(() => {
    const update = () => setOnline(navigator.onLine)
    window.addEventListener('online', update)
    window.addEventListener('offline', update)
    const stop = queries.getQueryCache().subscribe(() => {
      const active = queries.getQueryCache().findAll({ type: 'active' })
      setAway(active.some(({ state }) => isAway(state.error ?? state.fetchFailureReason)))
    })
    return () => {
      window.removeEventListener('online', update)
      window.removeEventListener('offline', update)
      stop()
    }
  }, [queries])
  return (
    <div role="status">
      {(!online || away) && <p className={styles.banner}>{online ? controls.unavailable : controls.offline}</p>}
    </div>
  )
}
