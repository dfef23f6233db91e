import { useEffect, useRef } from 'react'

/** A box that is ticked takes no text. */
const TEXT = 'input:not([type=checkbox]), textarea, select'

const isTyping = (target: EventTarget | null) => target instanceof Element && target.matches(TEXT)

const isOtherScript = (key: string) => /\p{L}/u.test(key) && !/\p{Script=Latin}/u.test(key)

/**
 * What the key would write on a Latin keyboard: an Arabic one has other letters in these places, and a French one writes digits
 * only with Shift.
 */
const latinKey = (event: KeyboardEvent) => {
  const { key, code, shiftKey } = event
  if (key === '؟') return '?'
  const [, digit] = /^Digit(\d)$/.exec(code) ?? []
  if (digit !== undefined && !shiftKey && !event.getModifierState('AltGraph')) return digit
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? []
  if (!isOtherScript(key)) return key
  return letter?.toLowerCase() ?? (code === 'Slash' ? '/' : key)
}

/**
 * Keys of a page: `j`, `/`, `?`, `mod+k`, and sequences such as `g o`. They do nothing while somebody types or a dialog is
 * open, except those with `mod`.
 */
export const useHotkeys = (keys: Readonly<Record<string, (event: KeyboardEvent) => void>>) => {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    let before = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    const press = (event: KeyboardEvent) => {
      const withMod = event.ctrlKey || event.metaKey
      if (event.altKey || event.isComposing) return
      const pressed = latinKey(event)
      const key = withMod ? `mod+${pressed.toLowerCase()}` : pressed
      if (!withMod && (isTyping(event.target) || document.querySelector('dialog[open]'))) return
      // After `g`, the letter belongs to the sequence, even if the page has a hotkey for that letter.
      const act = current.current[before === 'g' ? `g ${key}` : key]
      clearTimeout(timer)
      before = withMod || act ? '' : key
      timer = setTimeout(() => {
        before = ''
      }, 1_000)
      if (!act) return
      event.preventDefault()
      act(event)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}
