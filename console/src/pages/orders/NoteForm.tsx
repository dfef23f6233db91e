import { useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { AreaField } from '../../components/Field.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { useRenewOrder } from './actions.tsx'
import styles from './OrderPage.module.css'
import { useOrderWords } from './words.ts'

/** Adds a note to the history. What was typed stays until it is saved. */
export const NoteForm = ({ order }: { order: string }) => {
  const words = useOrderWords()
  const { client } = useStore()
  const renew = useRenewOrder()
  const toast = useToast()
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const add = useCreate((body: { text: string }, options) => client.orders.createOrderNote(order, body, options))
  const submit = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await add({ text })
      setText('')
      toast(words.desk.noted)
      await renew()
    } catch (error) {
      setError(error)
    }
    setBusy(false)
  }
  return (
    <form
      className={styles.noteForm}
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '' && !busy) void submit()
      }}
    >
      <AreaField
        label={words.desk.note}
        rows={2}
        dir="auto"
        maxLength={5000}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Problem error={error} />
      <p>
        <Button type="submit" busy={busy} disabled={text.trim() === ''}>
          {words.desk.addNote}
        </Button>
      </p>
    </form>
  )
}
