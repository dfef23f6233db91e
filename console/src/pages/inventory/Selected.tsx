import { useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { useMatching } from '../../components/change-many/useMatching.ts'
import { SelectField, TextField } from '../../components/Field.tsx'
import type { Matching } from '../../components/ListPage.tsx'
import { Problem } from '../../components/Problem.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import type { Product } from '../products/labels.ts'
import styles from './Inventory.module.css'
import { isWhole } from './levels.ts'
import { type Row, rowsOf } from './useRows.ts'
import { useInventoryWords } from './words.ts'

interface SelectedProps {
  rows: readonly Row[]
  matching: Matching
  /** More match than are selected. */
  isPart: boolean
  onFill: (variants: readonly string[], text: string) => void
  onClear: () => void
}

const variantsOf = (product: Product) => rowsOf(product).map(({ variant }) => variant.id)

/** The same difference for the selected variants, or for those of all products that match. Nothing is saved yet. */
export const Selected = ({ rows, matching, isPart, onFill, onClear }: SelectedProps) => {
  const words = useInventoryWords()
  const { controls } = useMessages()
  const { locale } = useWords()
  const { client } = useStore()
  const [all, setAll] = useState(false)
  const [text, setText] = useState('')
  const whole = useMatching(matching, all, client.products.all, variantsOf)
  const number = (value: number) => numberFormat(locale).format(value)
  const isReady = isWhole(text) && (!all || whole.complete)
  return (
    <form
      className={styles.selected}
      aria-label={controls.selected(rows.length)}
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) onFill(all ? whole.found.flat() : rows.map(({ variant }) => variant.id), text.trim())
      }}
    >
      <strong>{controls.selected(rows.length)}</strong>
      {isPart && (
        <SelectField
          label={words.scope}
          hideLabel
          choices={[
            { value: '', label: words.chosen(number(rows.length)) },
            { value: 'all', label: words.matching(number(matching.total)) },
          ]}
          value={all ? 'all' : ''}
          onChange={({ target }) => setAll(target.value === 'all')}
        />
      )}
      <TextField
        label={words.difference}
        hideLabel
        dir="ltr"
        inputMode="numeric"
        placeholder={words.difference}
        value={text}
        errors={text.trim() !== '' && !isWhole(text) ? [words.notNumber] : undefined}
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit" disabled={!isReady}>
        {words.fill}
      </Button>
      <Button kind="quiet" onClick={onClear}>
        {controls.clearSelection}
      </Button>
      {all && !whole.complete && (
        <span role="status">{words.found(number(whole.found.length), number(matching.total))}</span>
      )}
      <Problem error={whole.error} />
    </form>
  )
}
