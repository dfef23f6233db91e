import { useEffect, useRef } from 'react'
import type { NavigateOptions } from 'wouter'
import { useMessages } from '../messages/messages.ts'

/** Asks whether the page may be left. */
const guards = new Set<() => boolean>()

const mayLeave = () => [...guards].every((ask) => ask())

/** Every way to another page goes through here: links, shortcuts, the palette. */
export const askBeforeLeaving = (
  navigate: (to: string, options?: NavigateOptions) => void,
  to: string,
  options?: NavigateOptions,
) => {
  if (mayLeave()) navigate(to, options)
}

/** Leaving with unsaved changes asks first, also by «back». Returns a function that lets the page be left once. */
export const useUnsaved = (isDirty: boolean) => {
  const { common } = useMessages()
  const dirty = useRef(isDirty)
  dirty.current = isDirty
  useEffect(() => {
    if (!isDirty) return
    const ask = () => !dirty.current || window.confirm(`${common.unsaved} ${common.leave}`)
    const askBrowser = (event: BeforeUnloadEvent) => {
      if (dirty.current) event.preventDefault()
    }
    const here = location.href
    const state: unknown = history.state
    const askBack = (event: PopStateEvent) => {
      if (ask()) return
      // The address has changed already: put this page on top again, before the router hears of it.
      event.stopImmediatePropagation()
      history.pushState(state, '', here)
    }
    guards.add(ask)
    window.addEventListener('beforeunload', askBrowser)
    window.addEventListener('popstate', askBack, true)
    return () => {
      guards.delete(ask)
      window.removeEventListener('beforeunload', askBrowser)
      window.removeEventListener('popstate', askBack, true)
    }
  }, [isDirty, common])
  return () => {
    dirty.current = false
  }
}
