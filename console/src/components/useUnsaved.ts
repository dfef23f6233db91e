import { useLayoutEffect, useRef } from 'react'
import type { NavigateOptions } from 'wouter'
import { useMessages } from '../messages/messages.ts'

/** Asks whether the page may be left for this address. */
const guards = new Set<(to: string) => boolean>()

/** Tell whether something would be lost. */
const unsaved = new Set<() => boolean>()

export const hasUnsaved = () => [...unsaved].some((isUnsaved) => isUnsaved())

/** Asks, where something would be lost. */
export const mayLeave = (to = '') => [...guards].every((ask) => ask(to))

/** The page that asks. */
let place = { href: '', state: null as unknown }

// «Back» has already changed the URL, so this page's URL is pushed again before the router sees the change. Window
// listeners are called in the order of registration, so this one must be registered before the router's.
window.addEventListener('popstate', (event) => {
  if (mayLeave(location.pathname)) return
  event.stopImmediatePropagation()
  history.pushState(place.state, '', place.href)
})

/** All navigation goes through here: links, shortcuts, the palette. */
export const askBeforeLeaving = (
  navigate: (to: string, options?: NavigateOptions) => void,
  to: string,
  options?: NavigateOptions,
) => {
  if (mayLeave(to)) navigate(to, options)
}

/**
 * Leaving with unsaved changes asks first, also by «back». `isDirty` is asked at that moment. Returns a way to say that there
 * is nothing to lose any more. A list keeps what was typed when its filters change: `keptAt` is its path.
 */
export const useUnsaved = (isDirty: () => boolean, { keptAt }: { keptAt?: string } = {}) => {
  const { controls } = useMessages()
  const current = useRef({ isDirty, isReleased: false })
  current.current = { isDirty, isReleased: false }
  const isUnsaved = () => !current.current.isReleased && current.current.isDirty()
  const release = () => {
    current.current.isReleased = true
  }
  useLayoutEffect(() => {
    place = { href: location.href, state: history.state }
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: both read what is current.
  useLayoutEffect(() => {
    const ask = (to: string) => {
      if (keptAt !== undefined && to.split('?')[0]?.endsWith(keptAt)) return true
      if (isUnsaved() && window.confirm(`${controls.unsaved} ${controls.leave}`)) release()
      return !isUnsaved()
    }
    const askBrowser = (event: BeforeUnloadEvent) => {
      if (isUnsaved()) event.preventDefault()
    }
    guards.add(ask)
    unsaved.add(isUnsaved)
    window.addEventListener('beforeunload', askBrowser)
    return () => {
      guards.delete(ask)
      unsaved.delete(isUnsaved)
      window.removeEventListener('beforeunload', askBrowser)
    }
  }, [controls, keptAt])
  return { release }
}
