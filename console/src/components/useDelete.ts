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

interface Failure {
  row: Row
  reason: string
  /** No answer came, so that it can be tried again. */
  isUnanswered: boolean
}

export interface HeldDeletion {
  rows: readonly Row[]
  /** What was not deleted. Calls `fetch` without waiting for anything else: a page that is being closed has no later. */
  send: (rows: readonly Row[]) => Promise<readonly Failure[]>
  /** What is said at once, beside the chance to undo it. */
  done: string
  /** Reads again what shows them. */
  renew: () => unknown
}

export interface Deletion<Version> extends Omit<HeldDeletion, 'send'> {
  /** The version that is deleted, and no other. */
  read: (id: string) => Promise<Version>
  remove: (id: string, options: { ifMatch: Version; keepalive: boolean }) => Promise<unknown>
}

/** More of them are only counted. */
const MAX_NAMED = 5

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

/** Why something was not deleted. */
export const useFailure = () => {
  const messages = useMessages()
  return (error: unknown): Omit<Failure, 'row'> => ({
    reason: isConflict(error) ? messages.controls.conflict : describeError(error, messages).message,
    isUnanswered: isUnanswered(error),
  })
}

/**
 * Deletes with a chance to undo: the rows disappear at once, and the deletion is sent when the time is over, or when the page
 * is closed or the person signs out before. What could not be deleted comes back, with the reason.
 */
export const useHeldDeletion = () => {
  const toast = useToast()
  const { controls } = useMessages()

  const namesOf = (rows: readonly Row[]) => {
    const more = rows.length - MAX_NAMED
    const names = rows.slice(0, MAX_NAMED).map(({ name }) => name)
    return [...names, ...(more > 0 ? [`+${more}`] : [])].join(', ')
  }

  const carryOut = async (
    rows: readonly Row[],
    { send, renew }: Pick<HeldDeletion, 'send' | 'renew'>,
  ): Promise<void> => {
    const failed = await send(rows)
    const [first] = failed
    if (first) {
      const back = failed.map(({ row }) => row)
      const again = () => {
        hide(back)
        void carryOut(back, { send, renew })
      }
      unhide(back)
      toast(`${controls.notDeleted(namesOf(back))} ${first.reason}`, {
        bad: true,
        ...(first.isUnanswered && { action: { label: controls.retry, run: again } }),
      })
    }
    await renew()
  }

  /** Whether they have disappeared. */
  return (deletion: HeldDeletion): boolean => {
    const { rows, done } = deletion
    if (rows.some(({ id }) => hidden.has(id))) return false
    const carryOutNow = () => {
      waiting.delete(carryOutNow)
      close()
      return carryOut(rows, deletion)
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

/** The same, one request a row. */
export const useDelete = () => {
  const toast = useToast()
  const failureOf = useFailure()
  const hold = useHeldDeletion()

  /** Whether they have disappeared. */
  return async <Version>({ rows, read, remove, ...deletion }: Deletion<Version>): Promise<boolean> => {
    const versions = new Map<string, Version>()
    try {
      await Promise.all(rows.map(async ({ id }) => versions.set(id, await read(id))))
    } catch (error) {
      toast(failureOf(error).reason, { bad: true })
      await deletion.renew()
      return false
    }
    const send = async (rows: readonly Row[]) => {
      const failed: Failure[] = []
      const sendOne = (row: Row) =>
        remove(row.id, { ifMatch: versions.get(row.id) as Version, keepalive: true }).catch((error) => {
          if (!isGone(error)) failed.push({ row, ...failureOf(error) })
        })
      await Promise.all(rows.map(sendOne))
      return failed
    }
    return hold({ ...deletion, rows, send })
  }
}
