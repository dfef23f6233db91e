import { ApiError } from '../../../client/src/errors.ts'
import { ConsoleError } from '../api/console.ts'
import { useMessages } from '../messages/messages.ts'
import styles from './Problem.module.css'

/** Errors of both APIs by field, and the sentence for a person. */
export const describeError = (error: unknown): { message: string; fields: Record<string, string[]> } => {
  if (error instanceof ApiError) return { message: error.reason, fields: error.fields as Record<string, string[]> }
  if (error instanceof ConsoleError) return { message: error.message, fields: error.fields }
  return { message: error instanceof Error ? error.message : String(error), fields: {} }
}

/** Whether somebody else has changed the resource since it was read (412). */
export const isConflict = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 412

/** An error, in a live region. Errors that a form shows at its fields are left out. */
export const Problem = ({ error, shown = [] }: { error: unknown; shown?: readonly string[] }) => {
  const { controls } = useMessages()
  if (error === undefined || error === null) return null
  const { message, fields } = describeError(error)
  const others = Object.entries(fields).filter(([name]) => !shown.includes(name))
  return (
    <div role="alert" className={styles.problem}>
      <strong>{controls.failed}</strong> {isConflict(error) ? controls.conflict : message}
      {others.length > 0 && (
        <ul>
          {others.map(([name, sentences]) => (
            <li key={name}>
              <bdi dir="ltr">{name}</bdi>: {sentences.join(', ')}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
