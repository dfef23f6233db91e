import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react'
import styles from './Toast.module.css'
import { useHotkeys } from './useHotkeys.ts'
import { useOpen } from './usePending.ts'
import { Waiting } from './Waiting.tsx'

interface ToastOptions {
  /** A second chance: shown as a button. */
  action?: { label: string; run: () => unknown }
  /** Stays longer and is announced at once. */
  bad?: boolean
  /** When the chance is over: the time is up, or newer messages need the place. */
  onOver?: () => void
}

interface Shown extends ToastOptions {
  id: number
  text: string
}

/** Returns what closes it. */
type Show = (text: string, options?: ToastOptions) => () => void

const ToastContext = createContext<Show>(() => () => {})

export const useToast = () => useContext(ToastContext)

const MAX_SHOWN = 4

let last = 0

interface ToastProps {
  toast: Shown
  /** By its button, or because the time is up. */
  onEnd: (toast: Shown, isUsed: boolean) => void
}

/** Stays while somebody points at it, or has its button in focus. */
const Toast = ({ toast, onEnd }: ToastProps) => {
  const { text, action, bad } = toast
  const [isPointed, setPointed] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const isPaused = isPointed || isFocused
  useEffect(() => {
    if (isPaused) return
    const timer = setTimeout(() => onEnd(toast, false), action || bad ? 10_000 : 4_000)
    return () => clearTimeout(timer)
  }, [toast, action, bad, isPaused, onEnd])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it is only asked whether somebody is reading.
    <div
      className={`${styles.toast} ${bad ? styles.bad : ''}`}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      <span>{text}</span>
      {action && (
        <button type="button" aria-keyshortcuts={bad ? undefined : 'z'} onClick={() => onEnd(toast, true)}>
          {action.label}
        </button>
      )}
    </div>
  )
}

/** Short messages in a live region. `z` takes back what the newest one offers to. */
export const ToastProvider = ({ children }: { children: ReactNode }) => {
  const [toasts, setToasts] = useState<readonly Shown[]>([])
  const { count, follow } = useOpen()
  const current = useRef(toasts)
  const put = useCallback((next: readonly Shown[]) => {
    current.current = next
    setToasts(next)
  }, [])
  const remove = useCallback((id: number) => put(current.current.filter((toast) => toast.id !== id)), [put])
  const end = useCallback(
    ({ id, action, onOver }: Shown, isUsed: boolean) => {
      // Of two quick presses, the second finds it gone.
      if (!current.current.some((toast) => toast.id === id)) return
      remove(id)
      if (isUsed) follow(action?.run())
      else onOver?.()
    },
    [follow, remove],
  )
  const show = useCallback<Show>(
    (text, options = {}) => {
      const id = ++last
      for (const oldest of current.current.slice(0, 1 - MAX_SHOWN)) end(oldest, false)
      put([...current.current, { id, text, ...options }])
      return () => remove(id)
    },
    [end, put, remove],
  )
  useHotkeys({
    z: () => {
      const newest = current.current.findLast(({ action, bad }) => action && !bad)
      if (newest) end(newest, true)
    },
  })
  return (
    <ToastContext value={show}>
      {children}
      {count > 0 && <Waiting />}
      <div className={styles.place} role="status" aria-live="polite">
        {toasts.map((toast) => (
          <Toast key={toast.id} toast={toast} onEnd={end} />
        ))}
      </div>
    </ToastContext>
  )
}
