import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import styles from './SaveBar.module.css'

/** At the foot of the window while a form has unsaved changes. Its save button submits the form. */
export const SaveBar = ({ form, busy, onDiscard }: { form: string; busy: boolean; onDiscard: () => void }) => {
  const { controls } = useMessages()
  return (
    <section className={styles.bar} aria-label={controls.unsaved}>
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
