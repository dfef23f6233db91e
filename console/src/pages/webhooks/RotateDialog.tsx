import { Copy } from 'lucide-react'
import { developerApi } from '../../api/developer.ts'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { SelectField, TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { useStepUp } from '../../components/StepUp.tsx'
import { useCopy } from '../../components/useCopy.ts'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import styles from '../developer/Developer.module.css'
import { useWebhookWords } from './words.ts'

const OVERLAPS = ['86400', '3600', '0'] as const

/** A new secret, shown once. */
export const SecretDialog = ({ secret, onClose }: { secret: string; onClose: () => void }) => {
  const { controls } = useMessages()
  const words = useWebhookWords()
  const copy = useCopy()
  return (
    <Dialog title={words.secret} onClose={onClose} footer={<Button onClick={onClose}>{controls.close}</Button>}>
      <p>{words.secretHelp}</p>
      <div className={styles.secret}>
        <TextField label={words.secret} dir="ltr" readOnly value={secret} onFocus={({ target }) => target.select()} />
        <Button icon={<Copy />} aria-label={words.copy} onClick={() => copy(secret)} />
      </div>
    </Dialog>
  )
}

/** Asks for how long the old secret stays valid. */
export const RotateDialog = ({
  app,
  webhook,
  onSecret,
  onClose,
}: {
  app: string
  webhook: string
  onSecret: (secret: string) => void
  onClose: () => void
}) => {
  const words = useWebhookWords()
  const { run, dialog } = useStepUp()
  const form = useForm({ overlap: OVERLAPS[0] as (typeof OVERLAPS)[number] }, (_changes, { overlap }) =>
    run(async () => onSecret((await developerApi.rotateWebhook(app, webhook, Number(overlap))).secret)),
  )
  return (
    <>
      <FormDialog
        title={words.rotateAsk}
        act={words.rotateAct}
        form={form}
        shown={['overlap']}
        onDone={() => undefined}
        onClose={onClose}
      >
        <p>{words.rotateHelp}</p>
        <SelectField
          label={words.overlap}
          choices={OVERLAPS.map((value) => ({ value, label: words.overlaps[value] }))}
          {...form.field('overlap')}
        />
      </FormDialog>
      {dialog}
    </>
  )
}
