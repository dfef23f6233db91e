import { Copy } from 'lucide-react'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { TextField } from '../../components/Field.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useMessages } from '../../messages/messages.ts'
import { usePeopleWords } from '../people/words.ts'
import { useOperatorWords } from './words.ts'

export interface NewLink {
  email: string
  link: string
}

/** A link that is shown once, to pass on privately. */
export const LinkDialog = ({ made, onClose }: { made: NewLink; onClose: () => void }) => {
  const operator = useOperatorWords()
  const words = usePeopleWords()
  const { controls } = useMessages()
  const toast = useToast()
  const copy = () =>
    navigator.clipboard.writeText(made.link).then(
      () => toast(controls.copied),
      () => toast(controls.failed, { bad: true }),
    )
  return (
    <Dialog
      title={words.linkTitle}
      onClose={onClose}
      footer={
        <>
          <Button kind="primary" icon={<Copy />} onClick={copy}>
            {words.copy}
          </Button>
          <Button onClick={onClose}>{controls.close}</Button>
        </>
      }
    >
      <p>{operator.linkHelp(made.email)}</p>
      <TextField label={words.link} dir="ltr" readOnly value={made.link} onFocus={({ target }) => target.select()} />
    </Dialog>
  )
}
