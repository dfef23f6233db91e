import { useEffect, useState } from 'react'

const PAUSE_MS = 200

/** The text once somebody has stopped typing: what is worth asking for. */
export const useSettled = (text: string) => {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
