import { type ReactNode, useState } from 'react'
import { AreaField, CheckField, TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { useForm } from '../../components/useForm.ts'
import { useOrderWords } from '../orders/words.ts'
import styles from './Confirm.module.css'
import { useConfirmWords } from './words.ts'

export interface Result {
  result: 'confirmed' | 'no_answer' | 'postponed' | 'refused'
  note?: string
  next_at?: string
  cancel?: boolean
}

interface DialogProps {
  onSend: (result: Result) => Promise<unknown>
  onDone: () => unknown
  onClose: () => void
}

const HOUR = 3_600_000
const HOURS = { no_answer: [1, 3, 24], postponed: [24, 72, 168] } as const

/** As a field for date and time has it. */
const localTime = (at: number) => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

const withNote = (note: string) => (note.trim() ? { note } : {})

const NoteField = (props: Parameters<typeof AreaField>[0]) => (
  <AreaField {...props} rows={2} dir="auto" maxLength={5000} />
)

/** When to call again. */
export const LaterDialog = ({ result, onSend, ...rest }: DialogProps & { result: 'no_answer' | 'postponed' }) => {
  const words = useConfirmWords()
  // A second attempt sends the same moment.
  const [opened] = useState(Date.now)
  const hours = HOURS[result]
  const initial = { after: String(hours[0]), next_at: localTime(opened + hours[0] * HOUR), note: '' }
  const form = useForm(initial, (_changes, { after, next_at, note }) => {
    // The API says at the field that a moment is missing.
    if (after === '' && next_at === '') return onSend({ result, next_at, ...withNote(note) })
    const at = after === '' ? new Date(next_at) : new Date(opened + Number(after) * HOUR)
    return onSend({ result, next_at: at.toISOString(), ...withNote(note) })
  })
  const radio = (value: string, label: ReactNode) => (
    <label key={value}>
      <input
        type="radio"
        name="after"
        checked={form.values.after === value}
        onChange={() => form.set({ after: value })}
      />
      <span>{label}</span>
    </label>
  )
  return (
    <FormDialog title={words[result]} act={words[result]} form={form} shown={['next_at', 'note']} {...rest}>
      <fieldset className={styles.choices}>
        <legend>{words.when}</legend>
        {hours.map((count) => radio(String(count), words.after[count]))}
        {radio('', words.other)}
      </fieldset>
      {form.values.after === '' && (
        <TextField label={words.at} help={words.atHelp} type="datetime-local" {...form.field('next_at')} />
      )}
      <NoteField label={words.noteLabel} {...form.field('note')} />
    </FormDialog>
  )
}

export const RefusedDialog = ({ onSend, ...rest }: DialogProps) => {
  const words = useConfirmWords()
  const form = useForm({ cancel: true, note: '' }, (_changes, { cancel, note }) =>
    onSend({ result: 'refused', cancel, ...withNote(note) }),
  )
  return (
    <FormDialog title={words.refused} act={words.refused} form={form} shown={['note']} {...rest}>
      <CheckField label={words.cancelToo} checked={form.values.cancel} onChange={(cancel) => form.set({ cancel })} />
      <NoteField label={words.noteLabel} {...form.field('note')} />
    </FormDialog>
  )
}

export const NoteDialog = ({
  onAdd,
  ...rest
}: { onAdd: (text: string) => Promise<unknown> } & Omit<DialogProps, 'onSend'>) => {
  const orders = useOrderWords()
  const form = useForm({ text: '' }, (_changes, { text }) => onAdd(text))
  return (
    <FormDialog title={orders.desk.note} act={orders.desk.addNote} form={form} shown={['text']} {...rest}>
      <NoteField label={orders.desk.note} {...form.field('text')} />
    </FormDialog>
  )
}
