import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import styles from './SaveBar.module.css'
import { SaveProblem } from './SaveProblem.tsx'

interface SaveBarProps {
  /** Id of the form that the save button submits. */
  form: string
  busy: boolean
  onDiscard: () => void
  /** Why the last attempt failed. */
  error: unknown
  /** Fields that show their own errors. */
  shown: readonly string[]
  /** What the page calls the other fields. */
  labels?: Readonly<Record<string, string>>
  /** Loads the newest version after a conflict. */
  onReload?: () => unknown
}

/** At the foot of the window while a form has unsaved changes: why saving failed, and the button that saves. */
export const SaveBar = ({ form, busy, onDiscard, ...problem }: SaveBarProps) => {
  const { controls } = useMessages()
  return (
    <section className={styles.bar} aria-label={controls.unsaved}>
      <div className={styles.problem}>
        <SaveProblem form={form} {...problem} />
      </div>
      <span>{controls.unsaved}</span>
      <Button onClick={onDiscard} disabled={busy}>
        {controls.discard}
      </Button>
      <Button kind="primary" type="submit" form={form} busy={busy}>
        {busy ? controls.saving : controls.save}
      </Button>
    </section>
  )
}
