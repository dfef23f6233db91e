import { useState } from 'react'
import { SelectField, TextField } from '../../components/Field.tsx'
import { KEY_HEADER, keyOf } from './call.ts'
import type { Parameter } from './operations.ts'
import styles from './Playground.module.css'
import { usePlaygroundWords } from './words.ts'

/** Of the optional ones. */
const SHOWN = 6

interface ParameterFieldsProps {
  parameters: readonly Parameter[]
  values: Readonly<Record<string, string>>
  /** Sent where no key was typed. */
  usualKey: string | undefined
  errors: Readonly<Record<string, readonly string[]>>
  onChange: (key: string, value: string) => void
}

const Field = ({
  parameter,
  values,
  usualKey,
  errors,
  onChange,
}: Omit<ParameterFieldsProps, 'parameters'> & { parameter: Parameter }) => {
  const words = usePlaygroundWords()
  const { name, place, about, isRequired, kind, choices, usual } = parameter
  const key = keyOf(parameter)
  const isKey = name === KEY_HEADER
  const help = [
    kind === 'list' ? words.several : '',
    usual && words.usual(usual),
    isKey && usualKey ? words.keyHelp(usualKey) : '',
  ]
  const field = {
    label: `${name} · ${isRequired ? words.required : words.places[place]}`,
    help: (
      <>
        <bdi dir="auto" lang="en" className={styles.about}>
          {[about.replaceAll('`', ''), kind === 'list' ? choices.join(', ') : ''].filter(Boolean).join(' ')}
        </bdi>
        {help.filter(Boolean).join(' ')}
      </>
    ),
    errors: errors[key],
    value: values[key] ?? '',
    dir: 'ltr',
    'aria-required': isRequired,
  } as const
  if (kind !== 'list' && choices.length > 0)
    return (
      <SelectField
        {...field}
        choices={[{ value: '', label: words.notSent }, ...choices.map((value) => ({ value, label: value }))]}
        onChange={({ target }) => onChange(key, target.value)}
      />
    )
  return (
    <TextField
      {...field}
      autoComplete="off"
      spellCheck={false}
      inputMode={kind === 'number' ? 'numeric' : 'text'}
      onChange={({ target }) => onChange(key, target.value)}
    />
  )
}

/** One field for each, in the order of the document. Many optional ones are behind a line that opens them. */
export const ParameterFields = ({ parameters, ...rest }: ParameterFieldsProps) => {
  const words = usePlaygroundWords()
  const [isOpen, setOpen] = useState(false)
  // Chosen once, so that no field moves while it is filled in.
  const [shown] = useState(() => {
    const first = parameters.filter((one) => one.isRequired || rest.values[keyOf(one)])
    const others = parameters.filter((one) => !first.includes(one))
    return new Set([...first, ...others.slice(0, Math.max(0, SHOWN - first.length))].map(keyOf))
  })
  const open = parameters.filter((one) => shown.has(keyOf(one)))
  const closed = parameters.filter((one) => !shown.has(keyOf(one)))
  if (parameters.length === 0) return null
  return (
    <section className={styles.part}>
      <h2>{words.parameters}</h2>
      <div className={styles.fields}>
        {open.map((one) => (
          <Field key={keyOf(one)} parameter={one} {...rest} />
        ))}
      </div>
      {closed.length > 0 && (
        <details
          className={styles.details}
          open={isOpen || closed.some((one) => rest.errors[keyOf(one)])}
          onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
        >
          <summary>{words.more(closed.length)}</summary>
          <div className={styles.fields}>
            {closed.map((one) => (
              <Field key={keyOf(one)} parameter={one} {...rest} />
            ))}
          </div>
        </details>
      )}
    </section>
  )
}
