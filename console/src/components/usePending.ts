import { useCallback, useRef, useState } from 'react'

/**
 * Runs what a control does. While it waits for a reply, the control shows that, and doing it again has no effect. Here and
 * not in the pages, so that no action can forget it: what an action returns says how long it takes.
 */
export const usePending = () => {
  const [isPending, setPending] = useState(false)
  /** Known before the next drawing: the second of two quick presses finds it. */
  const isRunning = useRef(false)
  const run = (act: () => unknown) => {
    if (isRunning.current) return
    const outcome = act()
    if (!(outcome instanceof Promise)) return
    isRunning.current = true
    setPending(true)
    // A rejection that the action does not handle is reported as before.
    void outcome.finally(() => {
      isRunning.current = false
      setPending(false)
    })
  }
  return { isPending, run }
}

/** For actions whose control is gone: how many of them wait. */
export const useOpen = () => {
  const [count, setCount] = useState(0)
  const follow = useCallback((outcome: unknown) => {
    if (!(outcome instanceof Promise)) return
    setCount((count) => count + 1)
    void outcome.finally(() => setCount((count) => count - 1))
  }, [])
  return { count, follow }
}
