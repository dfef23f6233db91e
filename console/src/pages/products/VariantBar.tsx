import { Search } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { SelectField, TextField } from '../../components/Field.tsx'
import { CELLS, type Cell } from './draft.ts'
import styles from './VariantGrid.module.css'
import { useProductWords } from './words.ts'

interface FillProps {
  count: number
  labels: Record<Cell, string>
  onFill: (cell: Cell, text: string) => void
}

/** The same text into a column of all rows that are shown. */
export const Fill = ({ count, labels, onFill }: FillProps) => {
  const words = useProductWords()
  const [cell, setCell] = useState<Cell>('price')
  const [text, setText] = useState('')
  return (
    <fieldset className={styles.fill}>
      <legend className="hidden">{words.fill}</legend>
      <SelectField
        label={words.fillColumn}
        hideLabel
        choices={CELLS.map((cell) => ({ value: cell, label: labels[cell] }))}
        value={cell}
        onChange={({ target }) => setCell(target.value as Cell)}
      />
      <TextField
        label={words.fillValue}
        hideLabel
        placeholder={words.fillValue}
        dir="ltr"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Button disabled={count === 0} onClick={() => onFill(cell, text)}>
        {words.fillShown(count)}
      </Button>
    </fieldset>
  )
}

interface VariantBarProps {
  search: string
  onSearch: (search: string) => void
  count: string
  children: ReactNode
}

/** Above the grid of many variants: finds some of them. */
export const VariantBar = ({ search, onSearch, count, children }: VariantBarProps) => {
  const words = useProductWords()
  return (
    <div className={styles.bar}>
      <label className={styles.search}>
        <Search aria-hidden />
        <span className="hidden">{words.findVariant}</span>
        <input
          type="search"
          placeholder={words.findVariant}
          value={search}
          onChange={({ target }) => onSearch(target.value)}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      </label>
      <span className={styles.count} role="status">
        {count}
      </span>
      {children}
    </div>
  )
}
