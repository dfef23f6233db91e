import { type RefObject, useEffect } from 'react'

/** What somebody does who no longer waits for the row. */
const GOES_ON = ['keydown', 'pointerdown', 'wheel'] as const

const leftBy = () => (history.state as { left?: string } | null)?.left

/** Remembers in the history which link led away from a page: «back» returns the focus to it, and it is in view. */
export const useReturn = (page: RefObject<HTMLElement | null>) => {
  useEffect(() => {
    const remember = ({ target }: MouseEvent) => {
      const link = (target as Element).closest('a[href]')
      if (!link || !page.current?.contains(link)) return
      history.replaceState({ ...history.state, left: link.getAttribute('href') }, '')
    }
    // Before the link is followed.
    addEventListener('click', remember, true)
    return () => removeEventListener('click', remember, true)
  }, [page])
  useEffect(() => {
    const wanted = leftBy()
    const element = page.current
    if (wanted === undefined || !element) return
    const stop = () => {
      observer.disconnect()
      for (const type of GOES_ON) removeEventListener(type, stop, true)
    }
    const find = () => {
      const link = [...element.querySelectorAll('a')].find((link) => link.getAttribute('href') === wanted)
      if (!link) return
      stop()
      link.focus({ preventScroll: true })
      link.scrollIntoView({ block: 'nearest' })
    }
    // Its row may be read only after the page has opened.
    const observer = new MutationObserver(find)
    observer.observe(element, { childList: true, subtree: true })
    for (const type of GOES_ON) addEventListener(type, stop, true)
    find()
    return stop
  }, [page])
}
