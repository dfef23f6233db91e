import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import styles from './SaveBar.module.css'

/** At the foot of the window while a form has unsaved changes. Its save button submits the form. */
export const SaveBar = ({ form, busy, onDiscard }: { form: string; busy: boolean; onDiscard: () => void }) => {
  const { common } = useMessages()
  return (
    <section className={styles.bar} aria-label={common.unsaved}>
      <span>{common.unsaved}</span>
      <Button onClick={onDiscard} disabled={busy}>
        {common.discard}
      </Button>
      <Button kind="primary" type="submit" form={form} busy={busy}>
        {busy ? common.saving : common.save}
      </Button>
    </section>
  )
}
