import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'
import { useMessages } from '../messages/messages.ts'
import styles from './Field.module.css'

interface FieldProps {
  label: string
  help?: ReactNode
  /** Sentences about this field, from the API. */
  errors?: readonly string[] | undefined
  /** The value that somebody else has saved meanwhile. */
  theirs?: { value: string; onTake: () => void } | undefined
  /** The label is there for screen readers alone. */
  hideLabel?: boolean | undefined
}

/** What somebody else has saved meanwhile, and a button that takes it. */
export const Theirs = ({ value, onTake }: NonNullable<FieldProps['theirs']>) => {
  const { controls } = useMessages()
  return (
    <p className={styles.theirs}>
      <span>
        {controls.newest} <bdi>{value || controls.nothing}</bdi>
      </span>
      <button type="button" onClick={onTake}>
        {controls.takeNewest}
      </button>
    </p>
  )
}

const Frame = ({
  id,
  label,
  help,
  errors,
  theirs,
  hideLabel,
  children,
}: FieldProps & { id: string; children: ReactNode }) => (
  <div className={styles.field}>
    <label htmlFor={id} className={hideLabel ? 'hidden' : styles.label}>
      {label}
    </label>
    {children}
    {theirs && <Theirs {...theirs} />}
    {help && !errors?.length && (
      <p id={`${id}-help`} className={styles.help}>
        {help}
      </p>
    )}
    {errors && errors.length > 0 && (
      <p id={`${id}-help`} className={styles.error}>
        {errors.join(', ')}
      </p>
    )}
  </div>
)

const describedBy = (id: string, { help, errors }: FieldProps) =>
  help || errors?.length ? { 'aria-describedby': `${id}-help` } : {}

export const TextField = ({
  label,
  help,
  errors,
  theirs,
  hideLabel,
  ...input
}: FieldProps & InputHTMLAttributes<HTMLInputElement>) => {
  const id = useId()
  const frame = { label, help, errors, theirs, hideLabel }
  return (
    <Frame id={id} {...frame}>
      <input
        {...input}
        {...describedBy(id, frame)}
        id={id}
        className={styles.input}
        aria-invalid={errors?.length ? true : undefined}
      />
    </Frame>
  )
}

/** Grows with its text. */
export const AreaField = ({
  label,
  help,
  errors,
  theirs,
  hideLabel,
  ...area
}: FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement>) => {
  const id = useId()
  const frame = { label, help, errors, theirs, hideLabel }
  return (
    <Frame id={id} {...frame}>
      <textarea
        rows={4}
        {...area}
        {...describedBy(id, frame)}
        id={id}
        className={`${styles.input} ${styles.area}`}
        aria-invalid={errors?.length ? true : undefined}
      />
    </Frame>
  )
}

export interface Choice {
  value: string
  label: string
}

export const SelectField = ({
  label,
  help,
  errors,
  theirs,
  hideLabel,
  choices,
  ...select
}: FieldProps & { choices: readonly Choice[] } & SelectHTMLAttributes<HTMLSelectElement>) => {
  const id = useId()
  const named = theirs && {
    ...theirs,
    value: choices.find(({ value }) => value === theirs.value)?.label ?? theirs.value,
  }
  const frame = { label, help, errors, theirs: named, hideLabel }
  return (
    <Frame id={id} {...frame}>
      <select
        {...select}
        {...describedBy(id, frame)}
        id={id}
        className={`${styles.input} ${styles.select}`}
        aria-invalid={errors?.length ? true : undefined}
      >
        {choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </Frame>
  )
}

export const CheckField = ({
  label,
  checked,
  onChange,
  disabled,
}: {
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
}) => (
  <label className={styles.check}>
    <input type="checkbox" checked={checked} disabled={disabled} onChange={(event) => onChange(event.target.checked)} />
    <span>{label}</span>
  </label>
)
