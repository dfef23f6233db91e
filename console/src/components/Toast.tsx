import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import styles from './Toast.module.css'
import { useOpen } from './usePending.ts'
import { Waiting } from './Waiting.tsx'

interface ToastOptions {
  /** A second chance: shown as a button. */
  action?: { label: string; run: () => unknown }
  /** Stays longer and is announced at once. */
  bad?: boolean
}

interface Shown extends ToastOptions {
  id: number
  text: string
}

type Show = (text: string, options?: ToastOptions) => void

const ToastContext = createContext<Show>(() => {})

export const useToast = () => useContext(ToastContext)

let last = 0

/** Short messages in a live region. */
export const ToastProvider = ({ children }: { children: ReactNode }) => {
  const [toasts, setToasts] = useState<Shown[]>([])
  const { count, follow } = useOpen()
  const remove = useCallback((id: number) => setToasts((toasts) => toasts.filter((toast) => toast.id !== id)), [])
  const show = useCallback<Show>(
    (text, options = {}) => {
      const id = ++last
      setToasts((toasts) => [...toasts.slice(-2), { id, text, ...options }])
      setTimeout(() => remove(id), options.action || options.bad ? 10_000 : 4_000)
    },
    [remove],
  )
  return (
    <ToastContext value={show}>
      {children}
      {count > 0 && <Waiting />}
      <div className={styles.place} role="status" aria-live="polite">
        {toasts.map(({ id, text, action, bad }) => (
          <div key={id} className={`${styles.toast} ${bad ? styles.bad : ''}`}>
            <span>{text}</span>
            {action && (
              <button
                type="button"
                onClick={() => {
                  remove(id)
                  follow(action.run())
                }}
              >
                {action.label}
              </button>
            )}
          </div>
        ))}
      </div>
    </ToastContext>
  )
}
