import { useRef, useState } from 'react'
import { useMessages } from '../messages/messages.ts'
import { describeError, isConflict } from './describe-error.ts'
import { useUnsaved } from './useUnsaved.ts'

/** How a form continues after somebody else has saved first. */
interface Race<Values, Version> {
  read: () => Promise<Version>
  valuesOf: (version: Version) => Values
}

/**
 * The state of a form. The API validates: its errors are shown at the fields that its dotted paths name. Input is kept when
 * saving fails, and leaving with unsaved changes asks first. After a lost race, fields that both have changed show both
 * versions, and the others follow the newest one; saving again is against that version, which `save` gets.
 */
export const useForm = <Values extends object, Version>(
  initial: Values,
  save: (changes: Partial<Values>, values: Values, newest: Version | undefined) => Promise<unknown>,
  race?: Race<Values, Version>,
) => {
  const [saved, setSaved] = useState(initial)
  const [values, setValues] = useState(initial)
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  /** Known before the next drawing: a form that is sent twice at once is sent once. */
  const isSending = useRef(false)
  const [lost, setLost] = useState<{ newest: Version; fields: ReadonlySet<keyof Values> }>()
  const changed = (Object.keys(values) as (keyof Values)[]).filter((name) => values[name] !== saved[name])
  const isDirty = changed.length > 0

  const { release } = useUnsaved(() => isDirty)

  const messages = useMessages()
  const fields = error === undefined ? {} : describeError(error, messages).fields

  const theirs = (name: keyof Values) =>
    lost?.fields.has(name) && values[name] !== saved[name]
      ? {
          theirs: {
            value: String(saved[name] ?? ''),
            onTake: () => setValues((values) => ({ ...values, [name]: saved[name] })),
          },
        }
      : {}

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
      ...theirs(name),
    }),
    reset: (to: Values = saved) => {
      setSaved(to)
      setValues(to)
      setError(undefined)
      setLost(undefined)
    },
    /** Whether it was saved. */
    submit: async () => {
      if (isSending.current) return false
      isSending.current = true
      setBusy(true)
      setError(undefined)
      const changes = Object.fromEntries(changed.map((name) => [name, values[name]])) as Partial<Values>
      try {
        await save(changes, values, lost?.newest).catch(async (error) => {
          if (!race || !isConflict(error)) throw error
          const newest = await race.read()
          const theirs = race.valuesOf(newest)
          if (JSON.stringify({ ...theirs, ...changes }) !== JSON.stringify(theirs)) {
            setLost({ newest, fields: new Set(changed.filter((name) => theirs[name] !== saved[name])) })
            setSaved(theirs)
            setValues({ ...theirs, ...changes })
            throw error
          }
          // An attempt without an answer had saved it.
          await save(changes, values, newest)
        })
        setSaved(values)
        setLost(undefined)
        // The page may navigate away before this is rendered.
        release()
        return true
      } catch (error) {
        setError(error)
        return false
      } finally {
        isSending.current = false
        setBusy(false)
      }
    },
  }
}
