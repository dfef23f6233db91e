import { useState } from 'react'
import { describeError } from './Problem.tsx'
import { useUnsaved } from './useUnsaved.ts'

/**
 * The state of a form. The API validates: its errors are shown at the fields that its dotted paths name. Input is kept when
 * saving fails, and leaving with unsaved changes asks first.
 */
export const useForm = <Values extends object>(
  initial: Values,
  save: (changes: Partial<Values>, values: Values) => Promise<unknown>,
) => {
  const [saved, setSaved] = useState(initial)
  const [values, setValues] = useState(initial)
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const changed = (Object.keys(values) as (keyof Values)[]).filter((name) => values[name] !== saved[name])
  const isDirty = changed.length > 0

  const { release } = useUnsaved(() => isDirty)

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
        // The page may navigate away before this is rendered.
        release()
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
