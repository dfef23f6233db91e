import { useState } from 'react'
import { type Choice, SelectField } from '../Field.tsx'
import { ChangeDialog, type ChangeDialogProps, type RowChange } from './ChangeDialog.tsx'
import { useChangeWords } from './words.ts'

interface ChooseChangeProps<Listed, Row extends { id: string }, Value extends string>
  extends Omit<ChangeDialogProps<Listed, Row>, 'change' | 'fields' | 'done'> {
  /** The first one is chosen to begin with. */
  choices: readonly [Choice & { value: Value }, ...(Choice & { value: Value })[]]
  changeTo: (value: Value) => RowChange<Row>
  /** Called with those that failed, which stay selected. */
  done: (failed: readonly Listed[]) => void
}

/** Makes the same change, out of a few, to the chosen rows or to all that match. */
export const ChooseChange = <Listed extends { id: string }, Row extends { id: string }, Value extends string>({
  choices,
  changeTo,
  done,
  ...props
}: ChooseChangeProps<Listed, Row, Value>) => {
  const words = useChangeWords()
  const [value, setValue] = useState<Value>(choices[0].value)
  return (
    <ChangeDialog<Listed, Row>
      {...props}
      change={changeTo(value)}
      fields={({ busy, begin }) => (
        <SelectField
          label={words.what}
          choices={choices}
          value={value}
          disabled={busy}
          onChange={({ target }) => {
            begin()
            setValue(target.value as Value)
          }}
        />
      )}
      done={(failed) => done(props.chosen.filter(({ id }) => failed.some((row) => row.id === id)))}
    />
  )
}
