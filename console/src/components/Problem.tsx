import { useEffect, useRef } from 'react'
import { useMessages } from '../messages/messages.ts'
import { describeError, isConflict } from './describe-error.ts'
import styles from './Problem.module.css'

/** Marks what is wrong and is no field: a picture, or a list of variants. */
export const INVALID = { 'data-invalid': true, tabIndex: -1 } as const

const focusFirst = (form: Element | null | undefined) => {
  const first = form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid]')
  first?.scrollIntoView({ block: 'center' })
  first?.focus({ preventScroll: true })
  return first !== null && first !== undefined
}

interface ProblemProps {
  error: unknown
  /** Fields that show their own errors. */
  shown?: readonly string[]
  /** What the page calls the other fields: `images` for `images.1`. */
  labels?: Readonly<Record<string, string>>
  /** Id of the form, if the error is shown outside of it. */
  form?: string
}

/**
 * An error, in a live region: how many problems there are, and those that no field shows. In a form, the first bad field
 * gets the focus.
 */
export const Problem = ({ error, shown = [], labels = {}, form }: ProblemProps) => {
  const messages = useMessages()
  const { controls, problems } = messages
  const place = useRef<HTMLDivElement>(null)
  const formElement = () => (form ? document.getElementById(form) : place.current?.closest('form'))
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each error.
  useEffect(() => {
    if (error === undefined || error === null) return
    if (!focusFirst(formElement())) place.current?.scrollIntoView({ block: 'nearest' })
  }, [error])
  if (error === undefined || error === null) return null
  const { message, fields } = describeError(error, messages)
  const count = Object.keys(fields).length
  const others = Object.entries(fields).filter(([name]) => !shown.includes(name))
  const labelOf = (path: string) => {
    const [name = '', number] = path.split('.')
    const label = labels[name]
    if (!label) return undefined
    return number !== undefined && /^\d+$/.test(number) ? problems.place(label, String(Number(number) + 1)) : label
  }
  return (
    <div role="alert" ref={place} className={styles.problem}>
      {count > 0 ? (
        <strong>{problems.count(count)}</strong>
      ) : (
        <>
          <strong>{controls.failed}</strong> {isConflict(error) ? controls.conflict : message}
        </>
      )}
      {count > others.length && (
        <button type="button" className={styles.first} onClick={() => focusFirst(formElement())}>
          {problems.first}
        </button>
      )}
      {others.length > 0 && (
        <ul>
          {others.map(([name, sentences]) => (
            <li key={name}>{controls.labelled(labelOf(name) ?? name, sentences.join(' '))}</li>
          ))}
        </ul>
      )}
    </div>
  )
}
