import { useMemo, useSyncExternalStore } from 'react'
import { ApiError } from '../../../client/src/errors.ts'
import { ConsoleError } from '../api/console.ts'
import { useMessages } from '../messages/messages.ts'
import { describeError, isConflict, isUnanswered } from './describe-error.ts'
import { useToast } from './Toast.tsx'

interface Row {
  id: string
  name: string
}

export interface Deletion<Version> {
  rows: readonly Row[]
  /** The version that is deleted, and no other. */
  read: (id: string) => Promise<Version>
  /** Calls `fetch` without waiting for anything else, so that it is sent while the page is being closed. */
  remove: (id: string, options: { ifMatch: Version }) => Promise<unknown>
  /** What is said at once, beside the chance to undo it. */
  done: string
  /** Reads again what shows them. */
  renew: () => unknown
}

/** Ids that no list shows: their deletion waits to be sent, or has been. */
let hidden: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()

const show = (next: ReadonlySet<string>) => {
  hidden = next
  for (const listener of listeners) listener()
}
const hide = (rows: readonly Row[]) => show(new Set([...hidden, ...rows.map(({ id }) => id)]))
const unhide = (rows: readonly Row[]) => show(new Set([...hidden].filter((id) => rows.every((row) => row.id !== id))))

const listen = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** The rows without those that are being deleted. */
export const useRemaining = <T>(rows: readonly T[], idOf: (row: T) => string): readonly T[] => {
  const gone = useSyncExternalStore(listen, () => hidden)
  const isGone = (row: T) => gone.has(idOf(row))
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of a list have their ids in one place.
  return useMemo(() => (rows.some(isGone) ? rows.filter((row) => !isGone(row)) : rows), [rows, gone])
}

/** Deletions that can still be undone: what sends each of them now. */
const waiting = new Set<() => Promise<void>>()

/** Sends the deletions that wait: they are not to be lost with the page or the session. */
export const sendDeletions = () => Promise.all([...waiting].map((send) => send()))

window.addEventListener('pagehide', () => void sendDeletions())

const isGone = (error: unknown) => (error instanceof ApiError || error instanceof ConsoleError) && error.status === 404

type Send = (row: Row) => Promise<unknown>

/** What could not be deleted, and why. All are sent at once: a page that is being closed has no later. */
const sendAll = async (rows: readonly Row[], send: Send) => {
  const failed: { row: Row; error: unknown }[] = []
  const sent = rows.map((row) =>
    send(row).catch((error) => {
      if (!isGone(error)) failed.push({ row, error })
    }),
  )
  await Promise.all(sent)
  return failed
}

/**
 * Deletes with a chance to undo: the rows disappear at once, and the deletion is sent when the time is over, or when the page
 * is closed or the person signs out before. What could not be deleted comes back, with the reason.
 */
export const useDelete = () => {
  const toast = useToast()
  const messages = useMessages()
  const { controls } = messages
  const reasonOf = (error: unknown) => (isConflict(error) ? controls.conflict : describeError(error, messages).message)

  const carryOut = async (rows: readonly Row[], send: Send, renew: () => unknown): Promise<void> => {
    const failed = await sendAll(rows, send)
    const [first] = failed
    if (first) {
      const back = failed.map(({ row }) => row)
      const again = () => {
        hide(back)
        void carryOut(back, send, renew)
      }
      unhide(back)
      toast(`${controls.notDeleted(back.map(({ name }) => name).join(', '))} ${reasonOf(first.error)}`, {
        bad: true,
        ...(isUnanswered(first.error) && { action: { label: controls.retry, run: again } }),
      })
    }
    await renew()
  }

  /** Whether they have disappeared. */
  return async <Version>({ rows, read, remove, done, renew }: Deletion<Version>): Promise<boolean> => {
    const versions = new Map<string, Version>()
    try {
      await Promise.all(rows.map(async ({ id }) => versions.set(id, await read(id))))
    } catch (error) {
      toast(reasonOf(error), { bad: true })
      await renew()
      return false
    }
    if (rows.some(({ id }) => hidden.has(id))) return false
    const carryOutNow = () => {
      waiting.delete(carryOutNow)
      close()
      return carryOut(rows, ({ id }) => remove(id, { ifMatch: versions.get(id) as Version }), renew)
    }
    const undo = () => {
      waiting.delete(carryOutNow)
      unhide(rows)
      toast(controls.undone)
    }
    hide(rows)
    waiting.add(carryOutNow)
    const close = toast(done, { action: { label: controls.undo, run: undo }, onOver: () => void carryOutNow() })
    return true
  }
}
