import { useLayoutEffect, useRef } from 'react'
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

/**
 * Leaving with unsaved changes asks first, also by «back». Returns whether there is still something to lose, and a way to
 * say that there is not.
 */
export const useUnsaved = (isDirty: boolean) => {
  const { common } = useMessages()
  const dirty = useRef(isDirty)
  dirty.current = isDirty
  // A layout effect: it is gone before the sign-in page, which comes when a session has ended, navigates.
  useLayoutEffect(() => {
    if (!isDirty) return
    const ask = () => {
      if (dirty.current && window.confirm(`${common.unsaved} ${common.leave}`)) dirty.current = false
      return !dirty.current
    }
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
  return {
    isUnsaved: () => dirty.current,
    release: () => {
      dirty.current = false
    },
  }
}
