import { Plus, Trash2 } from 'lucide-react'
import { type KeyboardEvent, memo, useCallback, useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { TextField } from '../../components/Field.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import type { Draft, Option } from './draft.ts'
import styles from './OptionsEditor.module.css'
import {
  addOption,
  addValue,
  MAX_VARIANTS,
  removeOption,
  removeValue,
  renameOption,
  variantsWithValue,
} from './options.ts'
import { useProductWords } from './words.ts'

type Part = Pick<Draft, 'options' | 'variants'>

/** Adds on Enter, comma or leaving the field: what was typed is never lost. */
const ValueField = ({ label, onAdd }: { label: string; onAdd: (value: string) => string | undefined }) => {
  const words = useProductWords()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const add = () => {
    const value = text.trim()
    if (value === '') return
    const refused = onAdd(value)
    setProblem(refused)
    if (refused === undefined) setText('')
  }
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ',') return
    event.preventDefault()
    add()
  }
  return (
    <TextField
      label={label}
      hideLabel
      dir="auto"
      maxLength={255}
      placeholder={words.addValueHint}
      value={text}
      errors={problem ? [problem] : undefined}
      onChange={({ target }) => {
        setText(target.value)
        setProblem(undefined)
      }}
      onKeyDown={press}
      onBlur={add}
    />
  )
}

/** Drawn again only when its option changes: an option may have a thousand values, and typing in a variant must not wait for them. */
const Values = memo(
  ({
    option,
    disabled,
    onRemove,
  }: {
    option: Option
    disabled: boolean
    onRemove: (option: string, value: string) => void
  }) => {
    const words = useProductWords()
    return (
      <ul className={styles.values} aria-label={`${option.name}: ${words.optionValues}`}>
        {option.values.map(({ key, value }) => (
          <li key={key}>
            <span dir="auto">{value}</span>
            {!disabled && (
              <button type="button" aria-label={words.removeValue(value)} onClick={() => onRemove(option.key, key)}>
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
    )
  },
)

/** The options with their values. Variants follow: a new value makes its combinations, a removed one takes them away. */
export const OptionsEditor = ({
  part,
  onChange,
  errors,
  disabled,
}: {
  part: Part
  /** Gets a function of the newest part: what is shown may be behind what was typed. */
  onChange: (change: (part: Part) => Part) => void
  /** By key of the option. */
  errors: ReadonlyMap<string, readonly string[]>
  disabled: boolean
}) => {
  const words = useProductWords()
  const { locale } = useWords()
  const [pending, setPending] = useState<string>()
  const remove = useCallback(
    (option: string, value: string) =>
      onChange((part) => {
        const at = part.options.findIndex(({ key }) => key === option)
        return removeValue(part, at, value)
      }),
    [onChange],
  )
  const tooMany = (count: number) =>
    count > MAX_VARIANTS ? words.tooManyVariants(numberFormat(locale).format(count)) : undefined
  const add = (option: Option, at: number) => (value: string) => {
    if (option.values.some((other) => other.value === value)) return words.duplicateValue
    const refused = tooMany(variantsWithValue(part, at))
    if (refused === undefined) onChange((part) => addValue(part, at, value))
    return refused
  }
  return (
    <div className={styles.options}>
      {part.options.map((option, at) => (
        <div key={option.key} className={styles.option}>
          <div className={styles.name}>
            <TextField
              label={words.optionName}
              hideLabel
              dir="auto"
              maxLength={255}
              placeholder={words.optionNameHint}
              value={option.name}
              disabled={disabled}
              errors={errors.get(option.key)}
              onChange={({ target }) =>
                onChange((part) => ({ ...part, options: renameOption(part.options, at, target.value) }))
              }
            />
            {!disabled && (
              <Button
                kind="quiet"
                icon={<Trash2 />}
                aria-label={words.removeOption(option.name)}
                onClick={() => onChange((part) => removeOption(part, at))}
              />
            )}
          </div>
          <Values option={option} disabled={disabled} onRemove={remove} />
          {!disabled && <ValueField label={words.addValue(option.name)} onAdd={add(option, at)} />}
        </div>
      ))}
      {pending !== undefined && (
        <div className={styles.option}>
          <div className={styles.name}>
            <TextField
              label={words.optionName}
              hideLabel
              dir="auto"
              maxLength={255}
              placeholder={words.optionNameHint}
              value={pending}
              autoFocus
              onChange={({ target }) => setPending(target.value)}
            />
            <Button
              kind="quiet"
              icon={<Trash2 />}
              aria-label={words.removeOption(pending)}
              onClick={() => setPending(undefined)}
            />
          </div>
          <ValueField
            label={words.addValue(pending)}
            onAdd={(value) => {
              onChange((part) => addOption(part, pending.trim(), value))
              setPending(undefined)
              return undefined
            }}
          />
        </div>
      )}
      {!disabled && pending === undefined && (
        <div>
          <Button icon={<Plus />} onClick={() => setPending('')}>
            {words.addOption}
          </Button>
        </div>
      )}
    </div>
  )
}
