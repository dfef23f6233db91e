import { useEffect, useState } from 'react'
import { useMessages } from '../messages/messages.ts'
import { describeError } from './Problem.tsx'

/**
 * The state of a form. The API is the validator: its dotted paths land on the fields, all at once. What was typed stays
 * when saving fails, and leaving with unsaved changes asks first.
 */
export const useForm = <Values extends object>(
  initial: Values,
  save: (changes: Partial<Values>, values: Values) => Promise<unknown>,
) => {
  const { common } = useMessages()
  const [saved, setSaved] = useState(initial)
  const [values, setValues] = useState(initial)
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const changed = (Object.keys(values) as (keyof Values)[]).filter((name) => values[name] !== saved[name])
  const isDirty = changed.length > 0

  useEffect(() => {
    if (!isDirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    const askInside = (event: MouseEvent) => {
      const link = (event.target as Element).closest?.('a[href]')
      if (link && !link.hasAttribute('download') && !window.confirm(`${common.unsaved} ${common.leave}`)) {
        event.preventDefault()
        event.stopPropagation()
      }
    }
    window.addEventListener('beforeunload', ask)
    document.addEventListener('click', askInside, true)
    return () => {
      window.removeEventListener('beforeunload', ask)
      document.removeEventListener('click', askInside, true)
    }
  }, [isDirty, common])

  const fields = error === undefined ? {} : describeError(error).fields

  return {
    values,
    error,
    busy,
    isDirty,
    set: (changes: Partial<Values>) => setValues((values) => ({ ...values, ...changes })),
    /** Props of a text or select field by its name. */
    field: (name: keyof Values & string) => ({
      name,
      value: String(values[name] ?? ''),
      onChange: (event: { target: { value: string } }) =>
        setValues((values) => ({ ...values, [name]: event.target.value })),
      errors: fields[name],
    }),
    reset: (to: Values = saved) => {
      setSaved(to)
      setValues(to)
      setError(undefined)
    },
    /** Whether it was saved. */
    submit: async () => {
      setBusy(true)
      setError(undefined)
      try {
        await save(Object.fromEntries(changed.map((name) => [name, values[name]])) as Partial<Values>, values)
        setSaved(values)
        return true
      } catch (error) {
        setError(error)
        return false
      } finally {
        setBusy(false)
      }
    },
  }
}
